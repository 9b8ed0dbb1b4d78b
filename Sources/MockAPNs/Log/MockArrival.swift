public import PushPlatform

/// A request that has reached the mock, and the mock's answer.
public struct MockArrival: Sendable {
    /// The number of the request since the mock was started, from 1.
    public let number: Int
    /// When it came into the log: the frames of its answer were made, or it was certain that there will be none.
    public let time: Date
    /// The number of the connection, from 1.
    public let connection: Int
    /// The request. ``MockRequest/body`` has the part of the body that was kept.
    public var request: MockRequest { judgedRequest.request }
    /// The id of the stream.
    public var streamID: Int32 { judgedRequest.streamID }
    /// The answer, and the reason for it. If ``wasAnswered`` is `false`, the answer that was not sent. The status is 0
    /// if the request was not checked, because of a fault or because it breaks a rule of HTTP/2.
    public var verdict: MockVerdict { judgedRequest.verdict }
    /// Whether the answer was forced by a test and not decided by the checks.
    public var wasForced: Bool { judgedRequest.wasForced }
    /// Whether the answer was sent to the client, at least its status. `false` if a fault held it back, if the stream
    /// or the connection ended before the answer could be sent, or if the request was not checked. Data that
    /// ``MockConfiguration/roundTrip`` or the fault `trickle` delays counts as sent, even if the client disconnects
    /// before it is transmitted.
    public var wasAnswered: Bool { judgedRequest.wasAnswered }
    /// The fault that acted on the request; `nil` if none did.
    public var fault: MockFault.Mark? { judgedRequest.fault }

    package var sender: MockArrival.Sender { judgedRequest.sender }
    /// The rules that the client broke with this request, including those that APNs does not enforce.
    public var violations: [MockViolation] { judgedRequest.violations }

    let judgedRequest: JudgedRequest

    /// The device token of the path, unchanged. Empty if the path has none.
    public var deviceToken: String {
        if case .device(let token) = request.target { token } else { "" }
    }

    /// The payload as text.
    public var payload: String { String(decoding: request.body, as: UTF8.self) }

    /// Its size in bytes for the limit of a log.
    package var byteCount: Int { judgedRequest.byteCount }
}

/// A request and its verdict. A class, because the connection, the log and its readers share it.
final class JudgedRequest: Sendable {
    let request: MockRequest
    let streamID: Int32
    let verdict: MockVerdict
    let wasForced: Bool
    let wasAnswered: Bool
    let fault: MockFault.Mark?
    let sender: MockArrival.Sender
    /// The rules that the client broke.
    let violations: [MockViolation]
    /// The size in bytes for the limit of a log.
    let byteCount: Int

    init(
        _ request: MockRequest, on streamID: Int32, _ verdict: MockVerdict, by sender: MockArrival.Sender,
        wasForced: Bool = false, wasAnswered: Bool = true, fault: MockFault.Mark? = nil, behaviour: [MockViolation] = []
    ) {
        var request = request
        request.authorization = nil
        self.request = request
        self.streamID = streamID
        self.verdict = verdict
        self.wasForced = wasForced
        self.wasAnswered = wasAnswered
        self.fault = fault
        self.sender = sender
        violations = wasForced ? behaviour : verdict.violations + behaviour
        byteCount = 256 + request.head.byteCount + request.body.count + verdict.answerByteCount
    }

    private init(withoutAnswer other: JudgedRequest) {
        request = other.request
        streamID = other.streamID
        verdict = other.verdict
        wasForced = other.wasForced
        wasAnswered = false
        fault = other.fault
        sender = other.sender
        violations = other.violations
        byteCount = other.byteCount
    }

    /// Returns a copy for an answer that could not be sent.
    func withoutAnswer() -> JudgedRequest { JudgedRequest(withoutAnswer: self) }
}

extension MockArrival {
    /// The client that sent a request. The provider token itself is not kept.
    package struct Sender: Sendable, Hashable {
        /// The address and the port of the client, such as `127.0.0.1:50123`; `nil` if the system does not report it.
        package let peer: String?
        /// The key id of the provider token, as the token says, at most 100 characters; `nil` without a token that could be read.
        package var keyID: String? { token?.keyID }
        /// The team id of the provider token, as the token says, at most 100 characters.
        package var teamID: String? { token?.teamID }
        /// The `iat` of the provider token, as the token says.
        package var issuedAt: Date? { token?.issuedAt }
        /// The common name of the client certificate; `nil` without one.
        package let certificate: String?
        package let environment: MockEnvironment

        private let token: ProviderTokenContent?

        init(peer: String? = nil, token: ProviderTokenContent?, certificate: String?, environment: MockEnvironment) {
            self.peer = peer
            self.token = token
            self.certificate = certificate
            self.environment = environment
        }
    }
}
