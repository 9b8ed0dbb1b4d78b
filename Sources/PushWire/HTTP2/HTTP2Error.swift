/// Why an HTTP/2 connection cannot continue.
package struct HTTP2Error: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let word: String
        /// The peer broke the protocol.
        package static let peerViolation = Code(word: "peerViolation")
        /// The peer does not use HTTP/2.
        package static let notHTTP2 = Code(word: "notHTTP2")
        /// The peer exceeded ``HTTP2Session/Limits/unsentAnswersToControl``.
        package static let unsentAnswersToControl = Code(word: "unsentAnswersToControl")
        /// The peer exceeded ``HTTP2Session/Limits/continuations``.
        package static let continuations = Code(word: "continuations")
        /// The library has no memory or is in an invalid state.
        package static let internalFailure = Code(word: "internalFailure")
    }

    package var code: Code
    /// The operation that failed.
    package var operation: String
    /// The library's message.
    package var detail: String

    package var description: String { "\(operation): \(detail)" }
}
