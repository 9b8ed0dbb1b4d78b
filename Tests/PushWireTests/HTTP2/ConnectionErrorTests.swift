import PushWire
import TestSupport
import Testing

@Suite struct ConnectionErrorTests {
    /// Ways for a server to break the connection, each with one stream (id 1, tag 0) open and sent.
    static let violations: [(name: String, bytes: [UInt8])] = [
        ("DATA on an idle stream", Frame.data("x", on: 99).bytes),
        ("DATA before HEADERS", Frame.data("x", on: 1).bytes),
        ("HEADERS on an idle stream", Frame.headers([(":status", "200")], on: 99).bytes),
        ("HEADERS on an even stream", Frame.headers([(":status", "200")], on: 2).bytes),
        ("HEADERS on stream 0", Frame.headers([(":status", "200")], on: 0).bytes),
        ("RST_STREAM on an idle stream", Frame.reset(99, code: 8).bytes),
        ("a PING of seven bytes", Frame(kind: .ping, payload: [1, 2, 3, 4, 5, 6, 7]).bytes),
        ("SETTINGS of five bytes", Frame(kind: .settings, payload: [0, 3, 0, 0, 0]).bytes),
        ("a window update of 0 on the connection", Frame(kind: .windowUpdate, payload: [0, 0, 0, 0]).bytes),
        ("a promise of a push", Frame(kind: .pushPromise, flags: 4, streamID: 1, payload: [0, 0, 0, 2, 0x82]).bytes),
        ("a header block that is no HPACK", Frame(kind: .headers, flags: 4, streamID: 1, payload: [0xFF, 0xFF]).bytes),
        ("CONTINUATION without HEADERS", Frame.continuation([("a", "b")], on: 1).bytes),
        ("a frame of 16 MB", [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]),
    ]

    @Test(arguments: violations)
    func `a violation ends the connection and each open stream once`(name: String, bytes: [UInt8]) throws {
        let client = try Endpoint.connectedClient()
        try client.open(tag: 0)
        try client.open(tag: 1)
        _ = try client.send()
        let goingOn = try goesOn(client, after: bytes)
        #expect(!goingOn)
        #expect(client.ends.isEmpty)
        client.endAllStreams()
        #expect(client.ends.map(\.tag).sorted() == [0, 1])
        #expect(client.causes == [.connectionLost, .connectionLost])
        #expect(client.session.freeStreams == 0)
        #expect(try client.open(tag: 2) == nil)
        client.endAllStreams()
        #expect(client.ends.count == 2)
    }

    private func goesOn(_ endpoint: Endpoint, after bytes: [UInt8]) throws -> Bool {
        do { try endpoint.receive(bytes: bytes) } catch is HTTP2Error { return false }
        #expect(try endpoint.sendFrames().last?.kind == .goAway)
        return !endpoint.session.isFinished
    }

    @Test func `a server that answers in HTTP/1.1 is distinguished from one that speaks HTTP/2`() throws {
        let client = try Endpoint(.client)
        _ = try client.send()
        try? client.receive(bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        _ = try client.send()
        #expect(client.session.isFinished)
        #expect(client.session.peerSettings == nil)
        #expect(client.session.lastComplaint?.contains("SETTINGS") == true)
    }

    @Test func `a client that speaks HTTP/1.1 is distinguished from one that speaks HTTP/2`() throws {
        let server = try Endpoint(.server)
        let error = try #require(throws: HTTP2Error.self) {
            try server.receive(bytes: Array("POST /3/device/ab HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8))
        }
        #expect(error.code == .notHTTP2)
        #expect(error.description.hasPrefix("reading HTTP/2: "))
    }

    @Test func `streams that are over stay over when the connection is lost`() throws {
        let client = try Endpoint.connectedClient()
        for tag in 0..<3 { try client.open(tag: tag) }
        _ = try client.send()
        try client.receive(.headers([(":status", "200")], on: 1, flags: StreamEndTests.final))
        try client.receive(.headers([(":status", "400")], on: 3), .data("half", on: 3))
        client.endAllStreams()
        #expect((0..<3).map { client.cause(ofTag: $0) } == [.answered, .connectionLost, .connectionLost])
        #expect(client.ends.count == 3)
        let half = try #require(client.ends.first { $0.tag == 1 })
        #expect(half.response.status == 400)
        #expect(half.response.body == Array("half".utf8))
    }

    @Test func `an answered stream that could not be freed is not reported again when the connection is lost`() throws {
        let client = try Endpoint.connectedClient(settings: Frame(kind: .settings, payload: [0, 4, 0, 0, 0, 10]))
        try client.open(body: [UInt8](repeating: 0, count: 100), tag: 0)
        _ = try client.send()
        try client.receive(.headers([(":status", "200")], on: 1, flags: StreamEndTests.final))
        client.endAllStreams()
        #expect(client.causes == [.answered])
    }

    @Test func `requests that were never sent are lost with the connection`() throws {
        let client = try Endpoint.connectedClient()
        try client.open(tag: 0)
        client.endAllStreams()
        #expect(client.causes == [.connectionLost])
    }

    @Test func `what is still sent or received after the end tells no stream twice`() throws {
        let pair = try SessionPair.connected()
        try pair.client.open(body: [1], tag: 0)
        try pair.clientToServer()
        pair.client.endAllStreams()
        pair.server.endAllStreams()
        try pair.answerAll()
        try pair.exchange()
        #expect(pair.client.causes == [.connectionLost])
        #expect(pair.server.causes == [.connectionLost])
    }

    @Test func `header frames without end are refused`() throws {
        let client = try Endpoint.connectedClient()
        try client.open(tag: 0)
        _ = try client.send()
        try client.receive(.headers([(":status", "200")], on: 1, flags: 0))
        let piece = Frame.continuation([("x", String(repeating: "v", count: 1000))], on: 1).bytes
        var refused = false
        for _ in 0..<1000 where !refused {
            do { try client.receive(bytes: piece) } catch { refused = true }
        }
        #expect(refused)
        client.endAllStreams()
        #expect(client.causes == [.connectionLost])
        #expect(client.ends.allSatisfy { $0.response.headers.byteCount < 16 * 1024 })
    }

    @Test func `pings without end are not stored without end`() throws {
        let server = try Endpoint(.server)
        try server.receive(bytes: Frame.preface + Frame.emptySettings.bytes)
        let pings = [UInt8](repeating: 0, count: 8)
        let thousand = (0..<1000).flatMap { _ in Frame(kind: .ping, payload: pings).bytes }
        #expect(throws: HTTP2Error.self) { for _ in 0..<100 { try server.receive(bytes: thousand) } }
    }
}

@Suite struct HTTP2ErrorCodeTests {
    static let names: [(UInt32, String)] = [
        (0, "NO_ERROR"), (1, "PROTOCOL_ERROR"), (3, "FLOW_CONTROL_ERROR"), (7, "REFUSED_STREAM"), (8, "CANCEL"),
        (11, "ENHANCE_YOUR_CALM"), (13, "HTTP_1_1_REQUIRED"), (14, "error code 14"), (.max, "error code 4294967295"),
    ]

    @Test(arguments: names)
    func `codes have the names of the standard, and unknown ones their number`(code: UInt32, name: String) {
        #expect(HTTP2ErrorCode(rawValue: code).description == name)
    }
}
