package import APNSVocabulary
internal import PushWire

/// A request that a probe sends as it is, also one that breaks the rules of APNs.
package struct ProbedRequest: Sendable {
    /// The fields in order, the pseudo-headers first. Names are in lower case.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ fields: [(name: String, value: String)], body: [UInt8] = []) {
        (self.fields, self.body) = (fields, body)
    }
}

package struct ProbedRequests: Sendable {
    /// The time between an answer and the next request.
    package var pause: Duration
    /// How much of each answer's body is kept, in bytes. An answer with more has a larger ``ProbedAnswer/bodyByteCount``.
    package var bodyBytes: Int
    /// Returns the next request; `nil` to end. It gets the answers so far, and runs on the event loop.
    package var next: @Sendable ([ProbedAnswer]) -> ProbedRequest?

    package init(
        pause: Duration, bodyBytes: Int = 64 * 1024, next: @escaping @Sendable ([ProbedAnswer]) -> ProbedRequest?
    ) {
        (self.pause, self.bodyBytes, self.next) = (pause, bodyBytes, next)
    }
}

package struct ProbedAnswer: Sendable, Equatable {
    /// The status; `nil` if the stream ended without one.
    package var status: Int?
    /// The reason in the body; `nil` if there is none.
    package var reason: RejectionReason?
    /// The code with which the server reset the stream; `nil` if it did not.
    package var resetCode: Int?
    /// The body, up to ``ProbedRequests/bodyBytes``.
    package var body: [UInt8] = []
    /// The length of the whole body, in bytes.
    package var bodyByteCount = 0
    /// Whether the server ended the answer by itself. Of one that was cut off, the body can lack its end.
    package var isWhole = true

    package init(status: Int?, reason: RejectionReason? = nil, resetCode: Int? = nil) {
        (self.status, self.reason, self.resetCode) = (status, reason, resetCode)
    }

    init(_ end: HTTP2StreamEnd) {
        var code: Int?
        if case .resetByPeer(let number) = end.cause { code = Int(number) }
        self.init(status: end.response.status, reason: ReasonBody(end.response.body).reason, resetCode: code)
        (body, bodyByteCount, isWhole) = (end.response.body, end.response.bodyByteCount, end.cause == .answered)
    }
}
