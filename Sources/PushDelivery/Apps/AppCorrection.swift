/// Why an app sends nothing until its operator corrects something. Its jobs wait.
package struct AppCorrection: Sendable, Hashable {
    /// What the operator must correct.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Apple refuses the key or the certificate.
        case credentials
        /// Apple refuses the topic of the app.
        case topic
        /// Device tokens and environment, or topic, do not fit.
        case mismatch
        /// No connection can be trusted or used.
        case connection

        /// Whether one job is tried from time to time, because the operator may correct it at Apple. With a mismatch, every try
        /// would cost a device token its answer.
        var isTriedAgain: Bool { self != .mismatch }
    }

    /// What the operator must correct.
    package var kind: Kind
    /// What happened and what to do, in a sentence or two.
    package var text: String

    /// Creates a correction.
    package init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind, text)
    }
}
