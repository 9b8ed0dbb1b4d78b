import PushWire
import TestSupport
import Testing

@Suite struct ServerRoleTests {
    @Test func `a request is reported only when its body is complete`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: false))
        try server.receive(.data("{}", on: 1))
        #expect(server.requests.isEmpty)
        #expect(server.session.openStreams == 1)
        try server.receive(.data("", on: 1, flags: Frame.endStream))
        #expect(server.requests.map(\.streamID) == [1])
        #expect(server.requests.first?.body == Array("{}".utf8))
        #expect(server.ends.isEmpty)
    }

    @Test func `a request can end with its headers or with trailers`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: true))
        try server.receive(request(on: 3, ending: false), .data("{}", on: 3))
        try server.receive(.headers([("x-trailer", "1")], on: 3, flags: StreamEndTests.final))
        #expect(server.requests.map(\.streamID) == [1, 3])
        #expect(server.requests.last?.headers["x-trailer"] == nil)
    }

    @Test func `a reset by the client is reported, before the request is complete and after`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: false), .reset(1, code: 8))
        try server.receive(request(on: 3, ending: true), .reset(3, code: 2))
        #expect(server.requests.map(\.streamID) == [3])
        #expect(server.ends.map(\.streamID) == [1, 3])
        #expect(server.causes == [.resetByPeer(8), .resetByPeer(2)])
        #expect(server.session.openStreams == 0)
    }

    @Test func `an answer to a stream that is gone is passed over`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: true), .reset(1, code: 8))
        try server.session.submitResponse(.response(200), on: 1)
        try server.session.submitResponse(.response(200), on: 77)
        #expect(try server.sendFrames().isEmpty)
    }

    @Test func `a server can reset a stream instead of answering`() throws {
        let pair = try SessionPair.connected()
        try pair.client.open(tag: 0)
        try pair.client.open(tag: 1)
        try pair.clientToServer()
        pair.server.session.reset(1, code: .refusedStream)
        pair.server.session.reset(3, code: .internalError)
        try pair.exchange()
        #expect(pair.client.cause(ofTag: 0) == .unprocessed)
        #expect(pair.client.cause(ofTag: 1) == .resetByPeer(2))
        #expect(pair.server.causes == [.resetHere(7), .resetHere(2)])
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `a lost connection ends what was heard, in part or whole, and not answered`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: true), request(on: 3, ending: true), request(on: 5, ending: false))
        try server.session.submitResponse(.response(200), on: 1)
        _ = try server.send()
        server.endAllStreams()
        #expect(server.ends.map(\.streamID).sorted() == [1, 3, 5])
        #expect(server.ends.first { $0.streamID == 1 }?.cause == .answered)
        #expect(server.causes.count { $0 == .connectionLost } == 2)
    }

    @Test func `too many header fields of a request end its stream, and the connection goes on`() throws {
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 1000
        let pair = try SessionPair.connected(server: limits)
        let bomb = (0..<100).map { (name: "x-\($0)", value: String(repeating: "v", count: 50)) }
        try pair.client.open(.request(extra: bomb), tag: 0)
        try pair.client.open(tag: 1)
        try pair.exchange()
        try pair.answerAll()
        try pair.exchange()
        #expect(pair.server.requests.map(\.streamID) == [3])
        #expect(pair.client.cause(ofTag: 0) == .resetByPeer(HTTP2ErrorCode.internalError.rawValue))
        #expect(pair.client.cause(ofTag: 1) == .answered)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `more resets than allowed end the connection`() throws {
        var limits = HTTP2Session.Limits()
        limits.resetBurst = 10
        limits.resetsPerSecond = 1
        let server = try connectedServer(limits: limits)
        for index in 0..<10 {
            try server.receive(request(on: Int32(2 * index + 1), ending: true), .reset(Int32(2 * index + 1), code: 8))
        }
        #expect(!server.session.isFinished)
        for index in 10..<20 {
            try server.receive(request(on: Int32(2 * index + 1), ending: true), .reset(Int32(2 * index + 1), code: 8))
        }
        #expect(try server.sendFrames().last?.kind == .goAway)
        #expect(server.session.isFinished)
    }

    @Test func `streams count that the client begins after a GOAWAY, though they are ignored`() throws {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: true))
        #expect(server.session.begunStreams == 1)
        server.session.goAway()
        _ = try server.send()
        try server.receive(request(on: 3, ending: true))
        #expect(server.session.begunStreams == 2)
        #expect(server.session.newestStreamID == 1)
    }

    @Test func `a server opens no streams`() throws {
        let pair = try SessionPair.connected()
        #expect(try pair.server.open() == nil)
        #expect(pair.server.session.openStreams == 0)
    }

    private func connectedServer(limits: HTTP2Session.Limits = HTTP2Session.Limits()) throws -> Endpoint {
        let server = try Endpoint(.server, limits: limits)
        try server.receive(bytes: Frame.preface + Frame.emptySettings.bytes)
        _ = try server.send()
        return server
    }

    private func request(on id: Int32, ending: Bool) -> Frame {
        .headers(
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":authority", "a")], on: id,
            flags: ending ? StreamEndTests.final : Frame.endHeaders)
    }
}
