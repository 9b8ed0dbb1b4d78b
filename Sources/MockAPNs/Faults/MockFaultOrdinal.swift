/// A selection of requests or connections, which are counted from 1.
public struct MockFaultOrdinal: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The first number.
    public var from: Int
    /// The last number; `nil` for no end.
    public var through: Int?
    /// The distance between two numbers; 1 for all from the first to the last.
    public var step: Int

    /// Creates a selection.
    ///
    /// - Parameters:
    ///   - from: The first number, at least 1.
    ///   - through: The last number; `nil` for no end.
    ///   - step: The distance between two numbers, at least 1.
    public init(from: Int, through: Int? = nil, step: Int = 1) {
        self.from = from
        self.through = through
        self.step = step
    }

    /// Creates a selection of one number.
    public init(integerLiteral value: Int) {
        self = .exactly(value)
    }

    /// Returns a selection of one number.
    public static func exactly(_ number: Int) -> MockFaultOrdinal { MockFaultOrdinal(from: number, through: number) }

    /// Returns a selection of all numbers in a range.
    public static func within(_ range: ClosedRange<Int>) -> MockFaultOrdinal {
        MockFaultOrdinal(from: range.lowerBound, through: range.upperBound)
    }

    /// Returns a selection of every n-th number: `.every(10)` is 10, 20, 30 and so on.
    public static func every(_ step: Int) -> MockFaultOrdinal { MockFaultOrdinal(from: step, step: step) }

    func contains(_ number: Int) -> Bool {
        guard number >= from, number <= through ?? .max else { return false }
        return step <= 1 || (number - from) % step == 0
    }
}
