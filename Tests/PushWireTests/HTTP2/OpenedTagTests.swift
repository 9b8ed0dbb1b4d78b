import PushWire
import TestSupport
import Testing

@Suite struct OpenedTagTests {
    @Test func `only the HEADERS of a request open a stream`() throws {
        let pair = try SessionPair.connected()
        pair.client.session.ping(1)
        for tag in [40, 50, 60] { try pair.client.open(body: [UInt8](repeating: 0, count: 20_000), tag: tag) }
        pair.client.session.reset(5)
        let sent = try framesWithTags(pair.client.session)
        #expect(sent.filter { $0.frame.kind == .headers }.map(\.tag) == [40, 50])
        #expect(sent.filter { $0.frame.kind != .headers }.allSatisfy { $0.tag == nil })
        #expect(Set(sent.map(\.frame.kind)) == [.ping, .headers, .data])
    }

    @Test func `the preface and the settings open nothing`() throws {
        let client = try HTTP2Session(role: .client)
        var tags: [Int?] = []
        while try client.nextFrame() != nil { tags.append(client.openedTag) }
        #expect(tags == [nil, nil])
    }

    @Test func `fields of more than one frame open their stream with the first`() throws {
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 100_000
        let pair = try SessionPair.connected(server: limits)
        // Wherever a frame is cut, what stands there is another number.
        let large = (0..<10).map { (name: "x-\($0)", value: (1000 * $0..<1000 * $0 + 900).map { "~\($0)" }.joined()) }
        try pair.client.open(.request(extra: large), body: [1], tag: 70)
        try pair.client.open(tag: 80)
        let sent = try framesWithTags(pair.client.session)
        #expect(sent.map(\.frame.kind) == [.headers, .continuation, .continuation, .headers, .data])
        #expect(sent.map(\.tag) == [70, nil, nil, 80, nil])
        try pair.server.receive(bytes: sent.flatMap(\.frame.bytes))
        #expect(pair.server.requests.count == 2)
        let request = try #require(pair.server.requests.first { $0.headers.count == 14 })
        #expect(request.headers.fields.suffix(10).map(\.value) == large.map(\.value))
        #expect(request.body == [1])
    }

    @Test func `a request without a body ends with its first frame, whatever follows of its fields`() throws {
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 100_000
        let pair = try SessionPair.connected(server: limits)
        try pair.client.open(.request(extra: [(name: "x", value: String(repeating: "~", count: 20_000))]), tag: 1)
        let sent = try framesWithTags(pair.client.session).map(\.frame)
        #expect(sent.map(\.kind) == [.headers, .continuation])
        #expect(sent.map(\.flags) == [Frame.endStream, Frame.endHeaders])
        try pair.server.receive(bytes: sent.flatMap(\.bytes))
        #expect(pair.server.requests.count == 1)
    }

    @Test func `an answer opens nothing`() throws {
        let pair = try SessionPair.connected()
        try pair.client.open()
        try pair.clientToServer()
        // With a body, so that the stream is still open when the headers leave.
        try pair.answerAll(body: [1])
        let sent = try framesWithTags(pair.server.session)
        #expect(sent.contains { $0.frame.kind == .headers })
        #expect(sent.allSatisfy { $0.tag == nil })
    }

    private func framesWithTags(_ session: HTTP2Session) throws -> [(frame: Frame, tag: Int?)] {
        var sent: [(frame: Frame, tag: Int?)] = []
        while let bytes = try session.nextFrame() {
            let tag = session.openedTag
            let frames = try #require(Frame.read(Array(bytes)))
            sent.append((try #require(frames.first), tag))
            #expect(frames.count == 1)
        }
        return sent
    }
}
