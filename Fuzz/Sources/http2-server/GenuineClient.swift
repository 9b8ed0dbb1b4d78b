internal import FuzzSupport

@testable internal import PushWire

/// A genuine client. It reads every byte of the server.
final class GenuineClient {
    let session: HTTP2Session
    private var tag = 0

    init() {
        session = expected { try HTTP2Session(role: .client) }
    }

    func open(_ input: inout FuzzInput) {
        var fields = HeaderBlock([
            (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/3/device/0f"),
        ])
        for _ in 0..<input.number(below: 5) {
            fields.append(input.choice(of: ["apns-topic", "apns-id", "authorization"]), input.longWord())
        }
        let body = [UInt8](repeating: 7, count: input.choice(of: [0, 30, 5000, 70_000]))
        let request = KeptRequest(OutgoingFields(fields), body: body)
        tag += 1
        _ = expected { try session.submitRequest(request.outgoing, owner: request, credential: nil, tag: tag) }
    }

    func send() -> [UInt8] {
        var bytes: [UInt8] = []
        while let frame = expected({ try session.nextFrame() }) { bytes.append(contentsOf: frame) }
        return bytes
    }

    /// A server that read forged bytes may break the protocol.
    func receive(_ bytes: [UInt8]) {
        try? bytes.withUnsafeBytes { try session.receive($0) }
        var events: [HTTP2Event] = []
        session.takeEvents(into: &events)
    }
}
