internal import PushPlatform
internal import PushTime

/// The dates in HTTP header fields, in all three formats that a recipient must accept (RFC 9110 section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a date.
    ///
    /// - Parameter text: The text of the header field.
    /// - Returns: Seconds since 1970; `nil` if the text is not a date.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch parts.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
        case 6: return seconds(year: parts[3], month: parts[2], day: parts[1], time: parts[4])
        // Sun Nov  6 08:49:37 1994
        case 5: return seconds(year: parts[4], month: parts[1], day: parts[2], time: parts[3])
        default: return nil
        }
    }

    private static func seconds(year: String, month: String, day: String, time: String) -> Int? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).compactMap { number(String($0)) }
        guard let month = months.firstIndex(of: month), let day = number(day), let year = fullYear(year),
            let days = GregorianCalendar.days(year: year, month: month + 1, day: day),
            clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60
        else { return nil }
        return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// Returns a year with four digits. A year of two digits is in the 2000s if it is below 70, otherwise in the 1900s.
    private static func fullYear(_ text: String) -> Int? {
        guard let year = number(text), text.count == 2 || text.count == 4 else { return nil }
        return text.count == 4 ? year : year + (year < 70 ? 2000 : 1900)
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(\.isASCIIDigit) && text.utf8.count <= 4 ? Int(text) : nil
    }
}
