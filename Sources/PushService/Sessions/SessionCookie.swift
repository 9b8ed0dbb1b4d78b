internal import HTTPTypes
internal import Hummingbird

/// The cookie that holds the id of a session.
enum SessionCookie {
    static let name = "pushserve_session"
    static let csrfField = HTTPField.Name("x-csrf-token")

    /// The maximum number of ids of a request that are looked at.
    private static let most = 4

    /// The ids in the request. A page of the same site can add some that are none, and that must not end a session.
    static func ids(in request: Request) -> [String] {
        let ids = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return pair.count == 2 && pair[0] == name ? String(pair[1]) : nil
        }
        return Array(Set(ids).sorted().prefix(most))
    }

    /// The value of `set-cookie`.
    static func field(_ id: String, lasting duration: Duration, isSecure: Bool) -> String {
        let seconds = duration.components.seconds
        return "\(name)=\(id); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}
