import APNSVocabulary

/// What a check has to object to.
package struct Finding {
    let reason: RejectionReason
    /// What is wrong with this request, in a sentence that shows no whole device token and no secret.
    let detail: String
    /// What to change about the mock so that it takes such requests, where something does.
    let remedy: MockRemedy?
    /// Since when the device token is dead, for a 410.
    let since: Moment?

    init(_ reason: RejectionReason, _ detail: String, remedy: MockRemedy? = nil, since: Moment? = nil) {
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
        self.since = since
    }

    /// Counted in scalars: what counts as one character can be as long as it likes.
    private static func beginning(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(60)))
    }

    /// A value from a peer as a log may show it: in quotation marks, escaped, not longer than a line.
    static func quote(_ text: String) -> String {
        let quoted = text.utf8.count <= 80 ? text.debugDescription : Self.beginning(of: text).debugDescription + "…"
        // That leaves the control characters of Latin-1 as they are, one of which terminals obey.
        let isPlain = quoted.unicodeScalars.allSatisfy { !(0x80..<0xA0).contains($0.value) }
        if isPlain { return quoted }
        return quoted.unicodeScalars.reduce(into: "") { shown, scalar in
            shown += (0x80..<0xA0).contains(scalar.value) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}
