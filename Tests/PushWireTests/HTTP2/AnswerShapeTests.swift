import PushWire
import TestSupport
import Testing

/// What a client makes of answers that are interim, malformed, too large or too early.
@Suite struct AnswerShapeTests {
    @Test func `interim answers are passed over for the final one`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "100"), ("x", "interim")], on: 1))
        try client.receive(.headers([(":status", "103"), ("link", "interim")], on: 1))
        #expect(client.ends.isEmpty)
        try client.receive(.headers([(":status", "429"), ("retry-after", "3")], on: 1))
        try client.receive(.data("{}", on: 1, flags: Frame.endStream))
        let end = try #require(client.ends.first)
        #expect(end.cause == .answered)
        #expect(end.response.status == 429)
        #expect(end.response.headers == HeaderBlock([(name: "retry-after", value: "3")]))
        client.expectEachStreamEndedOnce()
    }

    @Test func `an interim answer alone is not a status`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "103")], on: 1), .reset(1, code: 2))
        #expect(client.causes == [.resetByPeer(2)])
        #expect(client.ends.first?.response.status == nil)
    }

    @Test func `trailers end the answer and leave its fields as they were`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "200"), ("apns-id", "1")], on: 1), .data("{}", on: 1))
        try client.receive(.headers([("apns-id", "2"), ("x-trailer", "1")], on: 1, flags: StreamEndTests.final))
        let end = try #require(client.ends.first)
        #expect(end.cause == .answered)
        #expect(end.response.status == 200)
        #expect(end.response.headers == HeaderBlock([(name: "apns-id", value: "1")]))
        #expect(end.response.body == Array("{}".utf8))
        client.expectEachStreamEndedOnce()
    }

    @Test func `fields and trailers of one stream do not count for the next`() throws {
        let client = try Endpoint.connectedClient()
        let long = String(repeating: "v", count: 1000)
        for tag in 0..<30 {
            let id = try #require(try client.open(tag: tag))
            _ = try client.send()
            try client.receive(.headers([(":status", "200"), ("x", long)], on: id))
            try client.receive(.headers([("x-trailer", long)], on: id, flags: StreamEndTests.final))
        }
        let expected = HeaderBlock([(name: "x", value: long)])
        #expect(client.ends.allSatisfy { $0.cause == .answered && $0.response.headers == expected })
        client.expectEachStreamEndedOnce()
    }

    @Test(arguments: [
        [], [(":status", "20")], [(":status", "abc")], [(":status", "200"), (":status", "200")], [("apns-id", "1")],
        [(":status", "200"), ("content-length", "5")], [(":status", "200"), ("Upper", "1")],
    ])
    func `a malformed answer ends its stream and no other`(fields: [(String, String)]) throws {
        let client = try Endpoint.clientWithOpenStreams(2)
        try client.receive(.headers(fields, on: 1, flags: StreamEndTests.final))
        #expect(try client.sendFrames() == [.reset(1, code: 1)])
        #expect(client.causes == [.resetHere(1)])
        try client.receive(.headers([(":status", "200")], on: 3, flags: StreamEndTests.final))
        #expect(client.cause(ofTag: 1) == .answered)
        client.expectEachStreamEndedOnce()
    }

    @Test func `too many header fields end the stream, and no more of them is kept than allowed`() throws {
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 2000
        let pair = try SessionPair.connected(client: limits)
        try pair.client.open(tag: 0)
        try pair.client.open(tag: 1)
        try pair.clientToServer()
        let bomb = (0..<500).map { (name: "x-\($0)", value: String(repeating: "v", count: 50)) }
        try pair.server.session.submitResponse(.response(200, extra: bomb), on: 1)
        try pair.server.session.submitResponse(.response(200, extra: Array(bomb.prefix(10))), on: 3)
        try pair.exchange()
        #expect(pair.client.cause(ofTag: 0) == .resetHere(HTTP2ErrorCode.internalError.rawValue))
        #expect(pair.client.cause(ofTag: 1) == .answered)
        let kept = try #require(pair.client.ends.first { $0.tag == 0 })
        #expect(kept.response.headers.byteCount < 2000)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `interim answers without end are a bomb too`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        for _ in 0..<1000 { try client.receive(.headers([(":status", "103")], on: 1)) }
        _ = try client.send()
        #expect(client.causes == [.resetHere(HTTP2ErrorCode.internalError.rawValue)])
        client.expectEachStreamEndedOnce()
    }

    // MARK: Answers before the request is sent

    @Test func `an answer that comes before the request is sent counts once and frees the stream`() throws {
        let settings = HTTP2Settings(maxConcurrentStreams: 1, initialWindowSize: 0)
        let pair = try SessionPair.connected(server: HTTP2Session.Limits(settings: settings))
        let id = try #require(try pair.client.open(body: [UInt8](repeating: 0, count: 1000), tag: 3))
        try pair.exchange()
        #expect(pair.server.requests.isEmpty)
        try pair.server.session.submitResponse(.response(413), body: Array("{}".utf8), on: id)
        try pair.serverToClient()
        #expect(pair.client.causes == [.answered])
        #expect(pair.client.ends.first?.response.status == 413)
        #expect(pair.client.ends.first?.response.body == Array("{}".utf8))
        #expect(pair.client.session.freeStreams == 0)

        #expect(try pair.client.sendFrames() == [.reset(id, code: 0)])
        #expect(pair.client.session.freeStreams == 1)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `an answer that comes before the request is sent survives the reset behind it`() throws {
        let settings = Frame(kind: .settings, payload: [0, 4, 0, 0, 0, 10])
        let client = try Endpoint.connectedClient(settings: settings)
        try client.open(body: [UInt8](repeating: 0, count: 1000), tag: 3)
        let sent = try client.sendFrames()
        #expect(sent.filter { $0.kind == .data }.map(\.payload.count) == [10])
        try client.receive(.headers([(":status", "400")], on: 1, flags: StreamEndTests.final), .reset(1, code: 0))
        _ = try client.send()
        #expect(client.causes == [.answered])
        client.expectEachStreamEndedOnce()
    }
}
