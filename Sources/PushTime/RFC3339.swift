package import PushPlatform

/// Times as RFC 3339 writes them: `2026-11-25T20:15:00.000Z`.
package enum RFC3339 {
    private static let day = 86_400
    /// The years 0 to 9999, in milliseconds.
    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// The text of a time, in UTC and with milliseconds.
    ///
    /// - Parameter time: Milliseconds since 1970.
    /// - Returns: The text; for a time outside the years 0 to 9999, which nothing can write, that of their first or last millisecond.
    package static func text(millisecondsSince1970 time: Int64) -> String {
        let time = min(max(time, range.lowerBound), range.upperBound)
        let seconds = Int(time.dividedRoundingDown(by: 1000))
        let milliseconds = Int(time) - seconds * 1000
        let days = Int(Int64(seconds).dividedRoundingDown(by: Int64(day)))
        let (year, month, date) = GregorianCalendar.date(days: days)
        let rest = seconds - days * day
        let clock = "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60)).\(padded(milliseconds, 3))"
        return "\(padded(year, 4))-\(padded(month))-\(padded(date))T\(clock)Z"
    }

    /// Reads a time, which must have a zone. Digits behind the milliseconds are ignored.
    ///
    /// - Returns: Milliseconds since 1970; `nil` for any other text.
    package static func millisecondsSince1970(_ text: String) -> Int64? {
        var reader = RFC3339Reader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let date = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), hour < 24, minute < 60, second <= 60,
            let days = GregorianCalendar.days(year: year, month: month, day: date)
        else { return nil }
        let fraction = reader.take(".") ? reader.fraction() : 0
        guard let fraction, let zone = reader.zone(), reader.isAtEnd else { return nil }
        let seconds = days * day + hour * 3600 + minute * 60 + second - zone
        return Int64(seconds) * 1000 + Int64(fraction)
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}

private struct RFC3339Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Milliseconds. Further digits are ignored.
    mutating func fraction() -> Int? {
        let digits = rest.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return digits.count == 1 ? value * 100 : digits.count == 2 ? value * 10 : value
    }

    /// Seconds east of Greenwich.
    mutating func zone() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Date {
    /// The times that RFC 3339 can write: the years 1 to 9999.
    package static let writable =
        Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799.999)

    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-24T10:00:00.000Z`. Times outside of ``writable`` are shown as
    /// its first or its last one.
    package var rfc3339: String {
        let first = Self.writable.lowerBound.timeIntervalSince1970
        let last = Self.writable.upperBound.timeIntervalSince1970
        // "Not a number" is not in the range, and is shown as the first time.
        let seconds = timeIntervalSince1970 >= first ? min(timeIntervalSince1970, last) : first
        return RFC3339.text(millisecondsSince1970: Int64((seconds * 1000).rounded()))
    }

    /// The time without fractions of a second, for people: `2026-11-24T10:00:00Z`.
    package var rfc3339Seconds: String {
        "\(Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).rfc3339.prefix(19))Z"
    }

    /// Reads a time of RFC 3339, which has a zone; `nil` for any other text.
    package init?(rfc3339 text: String) {
        guard let milliseconds = RFC3339.millisecondsSince1970(text) else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
