package import PushPlatform
import PushTime

extension Date {
    /// Parses a time in the years 1 to 9999: a time as in ``ISOTime``, or seconds since 1970.
    package init?(text: String) {
        guard let date = Self.parse(text), Self.writable.contains(date) else { return nil }
        self = date
    }

    private static func parse(_ text: String) -> Date? {
        if let seconds = Double(text) { return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil }
        return ISOTime.millisecondsSince1970(text).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
