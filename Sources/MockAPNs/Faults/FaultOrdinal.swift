/// Which ones of things that are counted from 1.
public struct FaultOrdinal: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The first one.
    public var from: Int
    /// The last one; `nil` for no end.
    public var through: Int?
    /// The distance from one to the next; 1 for all between first and last.
    public var step: Int

    /// Takes the first, the last and the distance.
    ///
    /// - Parameters:
    ///   - from: The first one, from 1.
    ///   - through: The last one; `nil` for no end.
    ///   - step: The distance from one to the next, from 1.
    public init(from: Int, through: Int? = nil, step: Int = 1) {
        self.from = from
        self.through = through
        self.step = step
    }

    /// Takes one number.
    public init(integerLiteral value: Int) {
        self = .exactly(value)
    }

    /// One of them.
    public static func exactly(_ number: Int) -> FaultOrdinal { FaultOrdinal(from: number, through: number) }

    /// Those of a range.
    public static func within(_ range: ClosedRange<Int>) -> FaultOrdinal {
        FaultOrdinal(from: range.lowerBound, through: range.upperBound)
    }

    /// Each so many-th: `.every(10)` is 10, 20, 30 and so on.
    public static func every(_ step: Int) -> FaultOrdinal { FaultOrdinal(from: step, step: step) }

    func contains(_ number: Int) -> Bool {
        guard number >= from, number <= through ?? .max else { return false }
        return step <= 1 || (number - from) % step == 0
    }
}
