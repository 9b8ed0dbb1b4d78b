internal import PushPlatform

/// A point in time as people and programs write it: seconds since 1970, with a fraction or without, after an `@` as of `date` or
/// without, or a date in the forms of ``ISOTime``.
///
/// Whatever takes a time reads it with this: options, lines of a campaign, requests, searches. Millions of lines may have one, so it
/// does not use Foundation.
package enum TimeText: Hashable, Sendable {
    /// Milliseconds since 1970.
    case time(Int64)
    /// A number since 1970 that is too large for seconds.
    case tooFine(Unit, Int64)

    /// A unit in which other programs count from 1970.
    package enum Unit: Int64, Sendable {
        case milliseconds = 1000
        case microseconds = 1_000_000
        case nanoseconds = 1_000_000_000

        /// The unit of a number that is too large for seconds; `nil` for seconds.
        ///
        /// Each unit ends in the year 5138: with more than that, it is the next one.
        package init?(of number: Int64) {
            switch number {
            case ..<100_000_000_000: return nil
            case ..<100_000_000_000_000: self = .milliseconds
            case ..<100_000_000_000_000_000: self = .microseconds
            default: self = .nanoseconds
            }
        }
    }

    package init?(_ text: String) {
        let text = text.hasPrefix("@") ? String(text.dropFirst()) : text
        guard let first = text.utf8.first else { return nil }
        let isDate = text.utf8.dropFirst(4).first == UInt8(ascii: "-") && first != UInt8(ascii: "-")
        if !isDate, let number = Self.number(text) {
            self = number
        } else if let milliseconds = ISOTime.millisecondsSince1970(text) {
            self = .time(milliseconds)
        } else {
            return nil
        }
    }

    /// Reads a number of seconds: digits, a point, digits. JSON can write it with an exponent.
    private static func number(_ text: String) -> TimeText? {
        if let whole = Int64(text) { return text.hasPrefix("+") ? nil : seconds(whole, milliseconds: 0) }
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }),
            let whole = Int64(parts[0])
        else { return exponent(text) }
        let digits = parts[1].utf8.prefix(3).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        let milliseconds = digits * [100, 10, 1][min(parts[1].utf8.count, 3) - 1]
        return seconds(isNegative ? -whole : whole, milliseconds: isNegative ? -milliseconds : milliseconds)
    }

    private static func exponent(_ text: String) -> TimeText? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
            text.utf8.allSatisfy({ $0.isASCIIDigit || "eE+-.".utf8.contains($0) }),
            let number = Double(text), number.magnitude < 9e18
        else { return nil }
        let whole = number.rounded(.towardZero)
        return seconds(Int64(whole), milliseconds: Int64(((number - whole) * 1000).rounded()))
    }

    private static func seconds(_ whole: Int64, milliseconds: Int64) -> TimeText? {
        if let unit = Unit(of: whole) { return .tooFine(unit, whole) }
        let (product, overflow) = whole.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : .time(product + milliseconds)
    }

    /// Milliseconds since 1970, if the text is a time whose numbers are in seconds; `nil` for any other text.
    package static func millisecondsSince1970(_ text: String) -> Int64? {
        guard case .time(let milliseconds)? = TimeText(text) else { return nil }
        return milliseconds
    }

    /// The milliseconds of 1980. A smaller number that is too large for seconds was hardly meant as milliseconds.
    private static let firstMilliseconds: Int64 = 315_532_800_000

    package struct Mistake: Error, Hashable, CustomStringConvertible {
        package var problem: String
        package var advice: String

        package var description: String { "\(problem) \(advice)" }
    }

    /// Reads the time in a field.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of the field, for the error.
    ///   - takesMilliseconds: Whether a number can be in milliseconds. Otherwise, only seconds are taken.
    /// - Returns: Milliseconds since 1970.
    /// - Throws: ``Mistake`` if the text is not a time.
    package static func millisecondsSince1970(
        _ text: String, in name: String, takesMilliseconds: Bool = false
    ) throws(Mistake) -> Int64 {
        switch TimeText(text) {
        case .time(let milliseconds): return milliseconds
        case .tooFine(.milliseconds, let number) where takesMilliseconds: return number
        case .tooFine(_, let number) where number < firstMilliseconds:
            throw Mistake(
                problem:
                    "\"\(name)\" is \(number), which is too late in seconds since 1970, and too early in milliseconds.",
                advice: "Use seconds since 1970, or 2026-11-22T07:00:00Z.")
        case .tooFine(let unit, let number):
            throw Mistake(
                problem: "\"\(name)\" is \(number), which isn't in seconds since 1970 but looks like \(unit).",
                advice: "Did you mean \(number / unit.rawValue)?")
        case nil:
            throw Mistake(
                problem: "\"\(name)\" isn't a time.", advice: "Use seconds since 1970, or 2026-11-22T07:00:00Z.")
        }
    }
}
