internal import FuzzSupport

@testable internal import PushWire

/// A genuine server. It reads every byte of the client, and the input chooses only how it behaves.
final class GenuineServer {
    private let session: HTTP2Session
    private var waiting: [Int32] = []
    /// It has read something that is not HTTP/2. A client that read forged bytes may exceed the limits.
    private var isGone = false
    private var isLeaving = false

    init(_ input: inout FuzzInput) {
        let settings = HTTP2Settings(
            maxConcurrentStreams: input.choice(of: [nil, 0, 1, 10]),
            initialWindowSize: input.choice(of: [nil, 0, 100, 1 << 20]),
            headerTableSize: input.choice(of: [nil, 0, 100, 65_536]))
        session = expected { try HTTP2Session(role: .server, limits: HTTP2Session.Limits(settings: settings)) }
    }

    /// Reads the bytes of the client. With `isTrue`, the client has read only bytes of this server.
    func receive(_ bytes: [UInt8], isTrue: Bool) {
        guard !isGone else { return }
        do {
            try bytes.withUnsafeBytes { try session.receive($0) }
        } catch {
            claim(!isTrue, "the client breaks the protocol: \(error)")
            isGone = true
        }
        if session.isFinished {
            claim(!isTrue || isLeaving, "the client breaks the protocol: \(session.lastComplaint ?? "")")
            isGone = true
        }
        var events: [HTTP2Event] = []
        session.takeEvents(into: &events)
        for case .requestReceived(let request) in events { waiting.append(request.streamID) }
    }

    func send() -> [UInt8] {
        var bytes: [UInt8] = []
        while let frame = expected({ try session.nextFrame() }) { bytes.append(contentsOf: frame) }
        return bytes
    }

    func act(_ input: inout FuzzInput) {
        switch input.number(below: 8) {
        case 0: answerAll(&input)
        case 1: session.ping(1)
        case 2: announce(&input)
        case 3:
            isLeaving = true
            let last = input.choice(of: [session.newestStreamID, .max, 0, 1])
            session.goAway(lastStreamID: last, debugData: input.piece())
        default: if let id = waiting.popLast() { answer(id, &input) }
        }
    }

    private func answerAll(_ input: inout FuzzInput) {
        for id in waiting { answer(id, &input) }
        waiting = []
    }

    private func answer(_ id: Int32, _ input: inout FuzzInput) {
        let status = input.choice(of: ["200", "400", "410", "503"])
        var fields = HeaderBlock([(":status", status)])
        for _ in 0..<input.number(below: 4) {
            fields.append(input.choice(of: ["apns-id", "date", "y"]), input.longWord())
        }
        switch input.number(below: 6) {
        case 0: session.reset(id, code: HTTP2ErrorCode(rawValue: UInt32(input.number(below: 14))))
        case 1: expected { try session.beginResponse(OutgoingFields(fields), on: id) }
        default:
            let body = [UInt8](repeating: 1, count: input.choice(of: [0, 30, 1000]))
            _ = expected { try session.submitResponse(OutgoingFields(fields), body: body, on: id) }
        }
    }

    private func announce(_ input: inout FuzzInput) {
        let settings = HTTP2Settings(
            maxConcurrentStreams: input.choice(of: [nil, 1, 10, 100]),
            initialWindowSize: input.choice(of: [nil, 0, 100, 65_535]),
            headerTableSize: input.choice(of: [nil, 0, 64, 4096]))
        expected { try session.announceSettings(settings) }
    }
}
