/// A request that has reached the mock, and what the mock said to it.
public struct Arrival: Sendable {
    /// Its number since the mock was started, from 1.
    public let number: Int
    /// When it was judged.
    public let time: Moment
    /// The number of its connection, from 1.
    public let connection: Int
    /// What was asked. The kept part of the body is ``MockRequest/body``.
    public let request: MockRequest
    /// The id of its stream.
    public let streamID: Int32
    /// What was answered, and why. Where a fault kept the answer back, what would have been answered; its status is 0
    /// where the request was not judged at all.
    public let verdict: Verdict
    /// The answer was ordered by a test and not judged.
    public let wasForced: Bool
    /// The verdict was sent to the client, its status at least; `false` only where a fault kept it back.
    public let wasAnswered: Bool
    /// The fault that acted on it; `nil` for none.
    public let fault: FaultMark?

    /// The device token of the path, as it came; empty when the path has none.
    public var deviceToken: String {
        if case .device(let token) = request.target { token } else { "" }
    }

    /// The payload as text.
    public var payload: String { String(decoding: request.body, as: UTF8.self) }

    /// What it counts against the log's bound in bytes.
    var byteCount: Int {
        let fieldBytes = request.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return 256 + request.path.utf8.count + request.body.count + fieldBytes
    }
}
