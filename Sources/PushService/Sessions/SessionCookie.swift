internal import HTTPTypes
internal import Hummingbird

/// The cookie that holds the id of a session.
enum SessionCookie {
    static let name = "pushserve_session"
    static let csrfField = HTTPField.Name("x-csrf-token")

    /// The id in the request; `nil` if there is none, or the cookie stands there twice.
    static func id(in request: Request) -> String? {
        let ids = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return pair.count == 2 && pair[0] == name ? String(pair[1]) : nil
        }
        return ids.count == 1 ? ids[0] : nil
    }

    /// The value of `set-cookie`.
    static func field(_ id: String, lasting duration: Duration, isSecure: Bool) -> String {
        let seconds = duration.components.seconds
        return "\(name)=\(id); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}
