import PushWire
import TestSupport
import Testing

@Suite struct RequestResponseTests {
    @Test func `a request arrives whole and its answer comes back whole`() throws {
        let pair = try SessionPair.connected()
        let request = HeaderBlock.request(extra: [(name: "apns-topic", value: "com.example"), (name: "x", value: "")])
        let id = try #require(try pair.client.open(request, body: Array(#"{"aps":{}}"#.utf8), tag: 7))
        try pair.clientToServer()

        let arrived = try #require(pair.server.requests.first)
        #expect(arrived.streamID == id)
        #expect(arrived.headers == request)
        #expect(arrived.body == Array(#"{"aps":{}}"#.utf8))
        #expect(arrived.bodyByteCount == 10)

        let answer = [(name: "apns-id", value: "1"), (name: "apns-unique-id", value: "2")]
        try pair.server.session.submitResponse(.response(410, extra: answer), body: Array("{}".utf8), on: id)
        try pair.exchange()

        let end = try #require(pair.client.ends.first)
        #expect(end.streamID == id)
        #expect(end.tag == 7)
        #expect(end.cause == .answered)
        #expect(end.response.status == 410)
        #expect(end.response.headers == HeaderBlock(answer))
        #expect(end.response.body == Array("{}".utf8))
        #expect(end.response.bodyByteCount == 2)
        #expect(pair.server.causes == [.answered])
        #expect(pair.server.session.openStreams == 0)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `the three parts of a request become one list of fields`() throws {
        var limits = HTTP2Session.Limits()
        limits.commonFields = KeptRequest(
            OutgoingFields([
                (name: ":method", value: "POST"), (name: ":scheme", value: "https"), (name: ":authority", value: "a"),
            ]))
        let pair = try SessionPair.connected(client: limits)
        let own = OutgoingFields([(name: ":path", value: "/3/device/ab")])
        for word in ["x", "x", "y"] {
            let credential = KeptRequest(OutgoingFields(secret: "authorization", "bearer \(word)"))
            _ = try pair.client.session.submit(own, credential: credential, tag: 1)
        }
        _ = try pair.client.session.submit(own, tag: 1)
        try pair.clientToServer()
        let names = pair.server.requests.map { $0.headers.fields.map(\.name) }
        #expect(names[0] == [":method", ":scheme", ":authority", ":path", "authorization"])
        #expect(names[3] == names[0].dropLast())
        #expect(
            pair.server.requests.compactMap { $0.headers["authorization"] } == ["bearer x", "bearer x", "bearer y"])
    }

    @Test func `a hundred streams at once keep their tags, bodies and answers apart`() throws {
        let pair = try SessionPair.connected()
        for tag in 0..<100 {
            try pair.client.open(.request(path: "/3/device/\(tag)"), body: Array("body \(tag)".utf8), tag: tag)
        }
        #expect(pair.client.session.openStreams == 100)
        try pair.clientToServer()
        #expect(pair.server.requests.count == 100)
        for request in pair.server.requests.reversed() {
            let path = try #require(request.headers[":path"])
            #expect(path.dropFirst("/3/device/".count) == String(decoding: request.body.dropFirst(5), as: UTF8.self))
            try pair.server.session.submitResponse(
                .response(200, extra: [(name: "x-path", value: path)]), on: request.streamID)
        }
        try pair.exchange()
        for end in pair.client.ends {
            #expect(end.response.headers["x-path"] == "/3/device/\(end.tag)")
            #expect(end.streamID == Int32(2 * end.tag + 1))
        }
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `what a stream left behind does not show in the next one`() throws {
        let pair = try SessionPair.connected()
        try pair.client.open(.request(extra: [(name: "x", value: "1")]), body: Array("first".utf8), tag: 1)
        try pair.clientToServer()
        try pair.answerAll(.response(400, extra: [(name: "x-first", value: "1")]), body: Array("bad".utf8))
        try pair.exchange()
        try pair.client.open(tag: 2)
        try pair.clientToServer()
        #expect(pair.server.requests.last?.body == [])
        #expect(pair.server.requests.last?.headers == .request())
        try pair.answerAll()
        try pair.exchange()
        let second = try #require(pair.client.ends.last)
        #expect(second.tag == 2)
        #expect(second.response.status == 200)
        #expect(second.response.headers.count == 0)
        #expect(second.response.body.isEmpty)
        #expect(second.response.bodyByteCount == 0)
    }

    @Test func `bodies in several frames are put together, both ways`() throws {
        let body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let pair = try SessionPair.connected()
        try pair.client.open(body: body)
        let frames = try pair.client.sendFrames()
        #expect(frames.count { $0.kind == .data } == 4)
        try pair.server.receive(bytes: frames.flatMap(\.bytes))
        #expect(pair.server.requests.first?.body == body)
        try pair.answerAll(body: body)
        try pair.exchange()
        #expect(pair.client.ends.first?.response.body == body)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `a body that is larger than all windows arrives as the windows open`() throws {
        var limits = HTTP2Session.Limits()
        limits.bodyBytes = 1 << 20
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 11) }
        let pair = try SessionPair.connected(client: limits, server: limits)
        try pair.client.open(body: body)
        try pair.exchange()
        #expect(pair.server.requests.first?.body == body)
        try pair.answerAll(body: body)
        try pair.exchange()
        #expect(pair.client.ends.first?.response.body == body)
    }

    @Test func `a body over the limit is cut, and its whole length is reported`() throws {
        var limits = HTTP2Session.Limits()
        limits.bodyBytes = 1000
        let pair = try SessionPair.connected(client: limits, server: limits)
        try pair.client.open(body: [UInt8](repeating: 1, count: 100_000))
        try pair.exchange()
        #expect(pair.server.requests.first?.body == [UInt8](repeating: 1, count: 1000))
        #expect(pair.server.requests.first?.bodyByteCount == 100_000)
        try pair.answerAll(body: [UInt8](repeating: 2, count: 70_000))
        try pair.exchange()
        #expect(pair.client.ends.first?.response.body == [UInt8](repeating: 2, count: 1000))
        #expect(pair.client.ends.first?.response.bodyByteCount == 70_000)
        #expect(pair.client.causes == [.answered])
    }

    @Test func `bytes that arrive one at a time mean the same`() throws {
        let pair = try SessionPair()
        let opening = try pair.client.send()
        for byte in opening { try pair.server.receive(bytes: [byte]) }
        for byte in try pair.server.send() { try pair.client.receive(bytes: [byte]) }
        try pair.client.open(body: Array("hello".utf8), tag: 3)
        for byte in try pair.client.send() { try pair.server.receive(bytes: [byte]) }
        #expect(pair.server.requests.first?.body == Array("hello".utf8))
        try pair.answerAll(body: Array("bye".utf8))
        for byte in try pair.server.send() { try pair.client.receive(bytes: [byte]) }
        #expect(pair.client.ends.first?.response.body == Array("bye".utf8))
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `a ping is answered with what it carried`() throws {
        let pair = try SessionPair.connected()
        pair.client.session.ping(0x0123_4567_89AB_CDEF)
        let frame = try #require(try pair.client.sendFrames().first)
        #expect(frame == Frame(kind: .ping, payload: [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]))
        try pair.server.receive(frame)
        try pair.serverToClient()
        #expect(pair.client.pingAnswers == [0x0123_4567_89AB_CDEF])
        #expect(pair.server.pingAnswers.isEmpty)
    }

    @Test func `events are handed out once and in order`() throws {
        let client = try Endpoint.connectedClient()
        try client.open(tag: 1)
        try client.open(tag: 2)
        _ = try client.send()
        var taken: [HTTP2Event] = [.pingAnswered(0)]
        let endStream = Frame.endHeaders | Frame.endStream
        let bytes = [3, 1].flatMap { Frame.headers([(":status", "200")], on: $0, flags: endStream).bytes }
        try bytes.withUnsafeBytes { try client.session.receive($0) }
        client.session.takeEvents(into: &taken)
        client.session.takeEvents(into: &taken)
        let tags = taken.map { if case .streamEnded(let end) = $0 { end.tag } else { 0 } }
        #expect(tags == [0, 2, 1])
    }
}
