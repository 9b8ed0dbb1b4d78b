import APNSVocabulary
import PushPlatform

package struct Finding {
    var reason: RejectionReason
    /// What is wrong with this request, in a sentence without a complete device token and without secrets.
    let detail: String
    /// How to change the mock so that it accepts such requests; `nil` if nothing helps.
    let remedy: MockRemedy?
    /// The time since which the device token is no longer active, for a 410.
    let since: Date?

    init(_ reason: RejectionReason, _ detail: String, remedy: MockRemedy? = nil, since: Date? = nil) {
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
        self.since = since
    }

    /// Returns the first 60 Unicode scalars. Scalars, because one character can have any number of them.
    private static func beginning(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(60)))
    }

    /// Returns a value from a peer in a form that is safe for logs: in quotation marks, escaped, at most one line.
    static func quote(_ text: String) -> String {
        let quoted = text.utf8.count <= 80 ? text.debugDescription : Self.beginning(of: text).debugDescription + "…"
        // debugDescription does not escape the control characters U+0080 to U+009F, and terminals interpret one of
        // them.
        let isPlain = quoted.unicodeScalars.allSatisfy { !(0x80..<0xA0).contains($0.value) }
        if isPlain { return quoted }
        return quoted.unicodeScalars.reduce(into: "") { shown, scalar in
            shown += (0x80..<0xA0).contains(scalar.value) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension MockRemedy {
    /// Set one of the ``MockVariants`` to a value, written as in Swift and as `name=value`, with which the mock accepts the request.
    static func setVariant(_ change: String, _ setting: String) -> MockRemedy {
        .changeVariant("MockVariants.\(change) accepts it.", setting: setting)
    }
}
