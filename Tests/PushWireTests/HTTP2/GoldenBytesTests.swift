import PushWire
import TestSupport
import Testing

/// The exact bytes on the wire, where they carry a promise.
@Suite struct GoldenBytesTests {
    @Test func `a client begins with the preface and its settings`() throws {
        let limits = HTTP2Session.Limits(settings: HTTP2Settings(initialWindowSize: 65_536, maxHeaderListSize: 16_384))
        let client = try Endpoint(.client, limits: limits)
        let expected: [UInt8] =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
            // SETTINGS: ENABLE_PUSH 0, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE.
            + [0, 0, 18, 4, 0, 0, 0, 0, 0]
            + [0, 2, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0, 6, 0, 0, 0x40, 0]
        #expect(try client.send() == expected)
    }

    @Test func `a server begins with its settings and says nothing of pushes`() throws {
        let limits = HTTP2Session.Limits(
            settings: HTTP2Settings(maxConcurrentStreams: 1000, headerTableSize: 4096, maxFrameSize: 16_384))
        let server = try Endpoint(.server, limits: limits)
        let expected: [UInt8] =
            // SETTINGS: HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE.
            [0, 0, 18, 4, 0, 0, 0, 0, 0]
            + [0, 1, 0, 0, 16, 0, 0, 3, 0, 0, 3, 0xE8, 0, 5, 0, 0, 0x40, 0]
        #expect(try server.send() == expected)
    }

    @Test func `a request is one HEADERS frame and its body, and authorization is never indexed`() throws {
        let client = try Endpoint.connectedClient()
        let request = HeaderBlock([
            (name: ":method", value: "POST"), (name: ":scheme", value: "https"), (name: ":path", value: "/"),
            (name: ":authority", value: "a"), (name: "authorization", value: "b"),
        ])
        try client.open(request, body: Array("{}".utf8))
        let expected: [UInt8] =
            [0, 0, 10, 1, 4, 0, 0, 0, 1]
            // Indexed, indexed, indexed, literal with indexing, literal never indexed (0x1f 0x08 is name 23).
            + [0x83, 0x87, 0x84, 0x41, 1, 0x61, 0x1F, 0x08, 1, 0x62]
            + [0, 0, 2, 0, 1, 0, 0, 0, 1, 0x7B, 0x7D]
        #expect(try client.send() == expected)
    }

    @Test func `a request without a body ends with its HEADERS`() throws {
        let client = try Endpoint.connectedClient()
        try client.open()
        #expect(try client.sendFrames().map(\.flags) == [Frame.endHeaders | Frame.endStream])
    }

    @Test func `a field that must not be indexed is spelled out each time and spares the table`() throws {
        let client = try Endpoint.connectedClient()
        let id = "aaaaaaaa-0000"
        let first = try headersPayload(client, id: id)
        let second = try headersPayload(client, id: id)
        // The topic shrinks from its text to one byte of index, and so does the id's name; id and path stay as they are.
        #expect(second.count < first.count)
        for index in 0..<500 { _ = try headersPayload(client, id: "aaaaaaaa-\(1000 + index)") }
        #expect(try headersPayload(client, id: id) == second)
        #expect(second.suffix(id.utf8.count) == Array(id.utf8)[...])
    }

    @Test func `fields that may be indexed are one byte the second time`() throws {
        let client = try Endpoint.connectedClient()
        let topic = HeaderBlock.request(path: "/", extra: [(name: "apns-topic", value: "com.example.app")])
        try client.open(topic)
        try client.open(topic)
        let sizes = try client.sendFrames().map(\.payload.count)
        #expect(sizes.last == 5)
    }

    @Test func `an answer is one HEADERS frame, its status a byte, its id spelled out and the id's name in the table`()
        throws
    {
        let server = try serverWithRequests(on: [1, 3])
        var answer = HeaderBlock.response(200)
        answer.append("apns-id", "a", indexing: .avoided)
        for id: Int32 in [1, 3] { try server.session.submitResponse(answer, on: id) }
        let frames = try server.sendFrames()
        #expect(frames.map(\.flags) == [Frame.endHeaders | Frame.endStream, Frame.endHeaders | Frame.endStream])
        // The first time the field goes into the table as number 62, from then on its name is referred to.
        #expect(frames.first?.payload == [0x88, 0x40, 7] + Array("apns-id".utf8) + [1, 0x61])
        #expect(frames.last?.payload == [0x88, 0x0F, 0x2F, 1, 0x61])
        #expect(server.session.openStreams == 0)
    }

    @Test func `an answer with another status and a body has both in the table, and its body behind it`() throws {
        let server = try serverWithRequests(on: [1, 3])
        let answer = HeaderBlock.response(400, extra: [(name: "content-type", value: "a/b")])
        for id: Int32 in [1, 3] { try server.session.submitResponse(answer, body: Array("{}".utf8), on: id) }
        let frames = try server.sendFrames()
        #expect(frames.map(\.flags) == [Frame.endHeaders, Frame.endHeaders, Frame.endStream, Frame.endStream])
        #expect(frames.first?.payload == [0x48, 3] + Array("400".utf8) + [0x5F, 3] + Array("a/b".utf8))
        #expect(frames[1].payload == [0xBF, 0xBE])
        #expect(frames.last?.payload == Array("{}".utf8))
    }

    private func serverWithRequests(on ids: [Int32]) throws -> Endpoint {
        let server = try Endpoint(.server)
        _ = try server.send()
        try server.receive(bytes: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame.emptySettings.bytes)
        for id in ids {
            let fields = [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":authority", "a")]
            try server.receive(.headers(fields, on: id, flags: StreamEndTests.final))
        }
        _ = try server.send()
        return server
    }

    private func headersPayload(_ client: Endpoint, id: String) throws -> [UInt8] {
        var request = HeaderBlock.request(extra: [(name: "apns-topic", value: "com.example.app")])
        request.append("apns-id", id, indexing: .avoided)
        let stream = try #require(try client.open(request))
        let frame = try #require(try client.sendFrames().first)
        try client.receive(.headers([(":status", "200")], on: stream, flags: StreamEndTests.final))
        return frame.payload
    }
}
