/// Why an HTTP/2 connection cannot continue.
package struct HTTP2Error: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        /// The peer broke the protocol.
        package static let peerViolation = Code(name: "peerViolation")
        /// The peer does not use HTTP/2.
        package static let notHTTP2 = Code(name: "notHTTP2")
        /// The peer exceeded ``HTTP2Session/Limits/unsentAnswersToControl``.
        package static let unsentAnswersToControl = Code(name: "unsentAnswersToControl")
        /// The peer exceeded ``HTTP2Session/Limits/continuations``.
        package static let continuations = Code(name: "continuations")
        /// The library has no memory or is in an invalid state.
        package static let internalFailure = Code(name: "internalFailure")
    }

    package var code: Code
    /// The operation that failed.
    package var operation: String
    /// The library's message.
    package var detail: String

    package var description: String { "\(operation): \(detail)" }
}
