/// A request that has reached the mock, and what the mock said to it.
public struct Arrival: Sendable {
    /// Its number since the mock was started, from 1.
    public let number: Int
    /// When it was judged.
    public let time: Moment
    /// The number of its connection, from 1.
    public let connection: Int
    /// What was asked. The kept part of the body is ``MockRequest/body``.
    public var request: MockRequest { dealtWith.request }
    /// The id of its stream.
    public var streamID: Int32 { dealtWith.streamID }
    /// What was answered, and why. Where ``wasAnswered`` is `false`, what would have been answered. The status is 0 where the
    /// request was not judged at all, because of a fault or because it breaks a rule of HTTP/2.
    public var verdict: Verdict { dealtWith.verdict }
    /// The answer was ordered by a test and not judged.
    public var wasForced: Bool { dealtWith.wasForced }
    /// The verdict was sent to the client, its status at least. `false` where a fault kept it back, where the stream or the
    /// connection ended before the answer could be sent, and where the request was not judged. What ``MockConfiguration/roundTrip``
    /// and the fault `trickle` hold back counts as sent, also when the client leaves before it goes out.
    public var wasAnswered: Bool { dealtWith.wasAnswered }
    /// The fault that acted on it; `nil` for none.
    public var fault: FaultMark? { dealtWith.fault }

    let dealtWith: DealtWith

    /// The device token of the path, as it came; empty when the path has none.
    public var deviceToken: String {
        if case .device(let token) = request.target { token } else { "" }
    }

    /// The payload as text.
    public var payload: String { String(decoding: request.body, as: UTF8.self) }

    /// What it counts against the log's bound in bytes.
    var byteCount: Int {
        256 + request.head.byteCount + request.body.count
    }
}

/// A request that has been dealt with: one object, because it is handed from the connection to the log and to its readers.
final class DealtWith: Sendable {
    let request: MockRequest
    let streamID: Int32
    let verdict: Verdict
    let wasForced: Bool
    let wasAnswered: Bool
    let fault: FaultMark?

    init(
        _ request: MockRequest, on streamID: Int32, _ verdict: Verdict, wasForced: Bool = false,
        wasAnswered: Bool = true,
        fault: FaultMark? = nil
    ) {
        self.request = request
        self.streamID = streamID
        self.verdict = verdict
        self.wasForced = wasForced
        self.wasAnswered = wasAnswered
        self.fault = fault
    }

    /// The same request, when its answer could not be sent.
    func withoutAnswer() -> DealtWith {
        DealtWith(request, on: streamID, verdict, wasForced: wasForced, wasAnswered: false, fault: fault)
    }
}
