internal import PushProvider

/// Parses times: seconds or milliseconds since 1970, ISO 8601, or a duration from now.
///
/// Millions of lines may have a time, so this does not use Foundation.
enum InputTime {
    /// The year 5138 in seconds. Larger numbers are milliseconds.
    private static let millisecondsBegin: Int64 = 100_000_000_000

    /// Converts a number since 1970 to milliseconds.
    static func milliseconds(_ number: Int64) -> Int64? {
        if number.magnitude >= millisecondsBegin.magnitude { return number }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : milliseconds
    }

    /// Parses `1732240000`, `1732240000123`, `2026-11-22`, `2026-11-22T07:00:00Z`, `2026-11-22 07:00:00.123+01:00` into
    /// milliseconds since 1970. Without a zone the time is UTC.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return milliseconds(number) }
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var seconds = HTTPDate.days(year: year, month: month, day: day) * 86_400
        guard !reader.isAtEnd else { return Int64(seconds) * 1000 }
        guard reader.take("T") || reader.take(" "), let hour = reader.digits(2), reader.take(":"),
            let minute = reader.digits(2), hour < 24, minute < 60
        else { return nil }
        seconds += hour * 3600 + minute * 60
        if reader.take(":") {
            guard let second = reader.digits(2), second <= 60 else { return nil }
            seconds += second
        }
        var fraction = 0
        if reader.take(".") {
            guard let read = reader.fraction() else { return nil }
            fraction = read
        }
        guard let zone = reader.zone(), reader.isAtEnd else { return nil }
        return Int64(seconds - zone) * 1000 + Int64(fraction)
    }

    /// Parses `2h`, `7d`, `30s`, `15m` into seconds.
    static func duration(_ text: String) -> Int? {
        guard let unit = text.utf8.last, let number = Int(text.dropLast()), (0...1_000_000_000).contains(number) else {
            return nil
        }
        switch unit {
        case UInt8(ascii: "s"): return number
        case UInt8(ascii: "m"): return number * 60
        case UInt8(ascii: "h"): return number * 3600
        case UInt8(ascii: "d"): return number * 86_400
        default: return nil
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        private var at = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var isAtEnd: Bool { at == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            guard at + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[at..<at + count] {
                guard byte &- UInt8(ascii: "0") < 10 else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            at += count
            return value
        }

        /// Reads the fraction in milliseconds. Ignores the digits after the third one.
        mutating func fraction() -> Int? {
            var value = 0
            var count = 0
            while let digit = digits(1) {
                if count < 3 { value = value * 10 + digit }
                count += 1
            }
            guard count > 0 else { return nil }
            while count < 3 {
                value *= 10
                count += 1
            }
            return value
        }

        /// Reads the zone in seconds east of Greenwich.
        mutating func zone() -> Int? {
            if isAtEnd || take("Z") { return 0 }
            let sign = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
            _ = take(":")
            let minutes = isAtEnd ? 0 : digits(2)
            guard let minutes, minutes < 60 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
