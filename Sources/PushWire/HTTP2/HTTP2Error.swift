/// Why an HTTP/2 connection cannot go on.
package struct HTTP2Error: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let word: String
        /// The peer broke the protocol.
        package static let peerViolation = Code(word: "peerViolation")
        /// The peer did not speak HTTP/2 at all.
        package static let notHTTP2 = Code(word: "notHTTP2")
        /// More than ``HTTP2Session/Limits/unsentAnswersToControl``.
        package static let unsentAnswersToControl = Code(word: "unsentAnswersToControl")
        /// More than ``HTTP2Session/Limits/continuations``.
        package static let continuations = Code(word: "continuations")
        /// The library has no memory or is in a state that it cannot leave.
        package static let internalFailure = Code(word: "internalFailure")
    }

    package var code: Code
    /// What was being done.
    package var operation: String
    /// The library's words.
    package var detail: String

    package var description: String { "\(operation): \(detail)" }
}
