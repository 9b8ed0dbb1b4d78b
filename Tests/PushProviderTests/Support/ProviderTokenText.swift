import Foundation
import PushWire

/// Reads what a server reads in a provider token.
enum ProviderTokenText {
    /// The `iat` of an `authorization` field, in seconds since 1970.
    static func issuedAt(_ authorization: String?) -> Int? {
        guard let parts = authorization?.split(separator: "."), parts.count == 3,
            let claims = Base64URL.decode(parts[1]),
            let object = try? JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any]
        else { return nil }
        return object["iat"] as? Int
    }
}

extension DateFormatter {
    /// For `date` of an answer.
    static var http: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }
}
