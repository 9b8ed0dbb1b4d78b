import PushWire
import TestSupport
import Testing

/// A session with a list of its events and of what was opened on it.
final class Endpoint {
    let session: HTTP2Session
    /// The events of the session so far.
    private(set) var events: [HTTP2Event] = []
    /// The tags of the requests that the session took.
    private(set) var opened: [Int] = []

    init(_ role: HTTP2Session.Role, limits: HTTP2Session.Limits = HTTP2Session.Limits()) throws {
        session = try HTTP2Session(role: role, limits: limits)
    }

    /// A client that has heard from its server: the test itself, which answers with frames made by hand.
    static func connectedClient(
        limits: HTTP2Session.Limits = HTTP2Session.Limits(), settings: Frame = .emptySettings
    ) throws -> Endpoint {
        let client = try Endpoint(.client, limits: limits)
        _ = try client.send()
        try client.receive(settings, Frame(kind: .settings, flags: Frame.acknowledgement))
        _ = try client.send()
        return client
    }

    /// Such a client with streams of the tags 0, 1, 2 ... open and their requests sent.
    static func clientWithOpenStreams(_ count: Int) throws -> Endpoint {
        let client = try connectedClient()
        for tag in 0..<count { try client.open(tag: tag) }
        _ = try client.send()
        return client
    }

    func receive(_ frames: Frame...) throws {
        try receive(bytes: frames.flatMap(\.bytes))
    }

    func receive(bytes: [UInt8]) throws {
        defer { session.takeEvents(into: &events) }
        try bytes.withUnsafeBytes { try session.receive($0) }
    }

    /// Everything that the session wants to send now.
    func send() throws -> [UInt8] {
        defer { session.takeEvents(into: &events) }
        var bytes: [UInt8] = []
        while let frame = try session.nextFrame() { bytes.append(contentsOf: frame) }
        return bytes
    }

    /// The same as frames.
    func sendFrames() throws -> [Frame] {
        try #require(Frame.read(send()))
    }

    /// Opens a stream, `nil` when the session did not take it.
    @discardableResult
    func open(_ request: HeaderBlock = .request(), body: [UInt8] = [], tag: Int = 0) throws -> Int32? {
        guard let id = try session.submit(OutgoingFields(request), body: body, tag: tag) else {
            return nil
        }
        opened.append(tag)
        return id
    }

    func endAllStreams() {
        session.endAllStreams()
        session.takeEvents(into: &events)
    }
}

extension HTTP2Session {
    /// Opens a stream with a request that nobody else keeps.
    func submit(
        _ fields: OutgoingFields, body: [UInt8] = [], credential: KeptRequest? = nil, tag: Int
    ) throws(HTTP2Error) -> Int32? {
        let request = KeptRequest(fields, body: body)
        return try submitRequest(request.outgoing, owner: request, credential: credential, tag: tag)
    }
}

// MARK: Events by kind

extension Endpoint {
    var ends: [HTTP2StreamEnd] { events.compactMap { if case .streamEnded(let end) = $0 { end } else { nil } } }
    var causes: [HTTP2StreamEnd.Cause] { ends.map(\.cause) }
    var requests: [HTTP2Request] { events.compactMap { if case .requestReceived(let it) = $0 { it } else { nil } } }
    var settings: [HTTP2Settings] { events.compactMap { if case .settingsReceived(let it) = $0 { it } else { nil } } }
    var refusals: [(streamID: Int32, refusal: HTTP2Refusal)] {
        events.compactMap { if case .requestRefused(let it, let why) = $0 { (it.streamID, why) } else { nil } }
    }
    var goAways: [HTTP2GoAway] { events.compactMap { if case .goAwayReceived(let it) = $0 { it } else { nil } } }
    var pingAnswers: [UInt64] { events.compactMap { if case .pingAnswered(let it) = $0 { it } else { nil } } }

    func cause(ofTag tag: Int) -> HTTP2StreamEnd.Cause? { ends.first { $0.tag == tag }?.cause }

    /// Each request that the session took has come to exactly one end, and its place is free again.
    func expectEachStreamEndedOnce(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(ends.map(\.tag).sorted() == opened.sorted(), sourceLocation: sourceLocation)
        #expect(session.openStreams == 0, sourceLocation: sourceLocation)
    }
}

extension HTTP2Session {
    func submitResponse(_ headers: HeaderBlock, body: [UInt8] = [], on streamID: Int32) throws(HTTP2Error) {
        try submitResponse(OutgoingFields(headers), body: body, on: streamID)
    }
}

extension HeaderBlock {
    /// A request as APNs takes it.
    static func request(
        path: String = "/3/device/abcd", extra: [(name: String, value: String)] = []
    ) -> HeaderBlock {
        HeaderBlock(
            [
                (name: ":method", value: "POST"), (name: ":scheme", value: "https"),
                (name: ":authority", value: "localhost"), (name: ":path", value: path),
            ] + extra
        )
    }

    static func response(_ status: Int, extra: [(name: String, value: String)] = []) -> HeaderBlock {
        HeaderBlock([(name: ":status", value: "\(status)")] + extra)
    }
}
