/// Times as RFC 3339 writes them: `2026-11-25T20:15:00.000Z`.
package enum RFC3339 {
    private static let day = 86_400

    /// The text of a time, in UTC and with milliseconds.
    ///
    /// - Parameter time: Milliseconds since 1970, in the years 0 to 9999.
    /// - Returns: The text.
    package static func text(millisecondsSince1970 time: Int64) -> String {
        let seconds = Int(time.dividedRoundingDown(by: 1000))
        let milliseconds = Int(time) - seconds * 1000
        let days = Int(Int64(seconds).dividedRoundingDown(by: Int64(day)))
        let (year, month, date) = civil(days)
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
            let second = reader.number(2), (1...12).contains(month), date >= 1,
            date <= length(ofMonth: month, year: year), hour < 24, minute < 60, second <= 60
        else { return nil }
        let fraction = reader.take(".") ? reader.fraction() : 0
        guard let fraction, let zone = reader.zone(), reader.isAtEnd else { return nil }
        let seconds = days(year, month, date) * day + hour * 3600 + minute * 60 + second - zone
        return Int64(seconds) * 1000 + Int64(fraction)
    }

    // MARK: The calendar

    /// Days since 1970 of a date. The year begins in March, so that the leap day is the last one.
    private static func days(_ year: Int, _ month: Int, _ date: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = Int(Int64(shifted).dividedRoundingDown(by: 400))
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + date - 1
        return era * 146_097 + 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = Int(Int64(shifted).dividedRoundingDown(by: 146_097))
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
}

/// Reads the parts of a time.
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
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Milliseconds. Further digits are ignored.
    mutating func fraction() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let three = Array(digits.prefix(3)) + [UInt8](repeating: 0x30, count: max(3 - digits.count, 0))
        return three.reduce(0) { $0 * 10 + Int($1 - 0x30) }
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

extension Int64 {
    fileprivate func dividedRoundingDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
