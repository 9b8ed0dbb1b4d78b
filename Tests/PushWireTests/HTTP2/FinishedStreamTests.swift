import TestSupport
import Testing

@testable import PushWire

/// Frames on streams that are closed (RFC 9113 section 5.1).
@Suite struct FinishedStreamTests {
    private static let streamClosed: UInt32 = 5

    private static func connectedServer() throws -> Endpoint {
        let server = try Endpoint(.server)
        try server.receive(bytes: Frame.preface + Frame.emptySettings.bytes)
        _ = try server.send()
        return server
    }

    private static func request(on id: Int32, ending: Bool = true) -> Frame {
        .headers(
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":authority", "a")], on: id,
            flags: ending ? StreamEndTests.final : Frame.endHeaders)
    }

    /// A server with a stream 1 that the client has ended and the server has answered, or that the client has reset.
    private static func server(streamWasReset: Bool) throws -> Endpoint {
        let server = try connectedServer()
        try server.receive(request(on: 1, ending: !streamWasReset))
        if streamWasReset {
            try server.receive(.reset(1, code: 8))
        } else {
            try server.session.submitResponse(.response(200), on: 1)
        }
        _ = try server.send()
        #expect(!server.session.hasStream(1))
        return server
    }

    /// The last stream and the code of the GOAWAY that the server sends; `nil` if it sends none.
    private static func goAway(of server: Endpoint) throws -> [UInt32]? {
        let sent = try server.sendFrames().filter { $0.kind == .goAway }
        return sent.first.map { frame in
            [0, 4].map { at in frame.payload[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        }
    }

    /// h2spec http2/5.1/8, 9, 11, 12.
    @Test(arguments: [true, false], [true, false])
    func `a frame on a stream that the client has finished ends the connection`(
        streamWasReset: Bool, isData: Bool
    ) throws {
        let server = try Self.server(streamWasReset: streamWasReset)
        try server.receive(isData ? .data("{}", on: 1, flags: Frame.endStream) : Self.request(on: 1))
        #expect(try Self.goAway(of: server) == [1, Self.streamClosed])
        #expect(server.session.isFinished)
        #expect(
            server.session.lastComplaint
                == "a frame on stream 1, which the client had ended or reset before (RFC 9113 section 5.1)")
        #expect(server.requests.count == (streamWasReset ? 0 : 1))
    }

    @Test func `the same is noticed when other streams have come and gone meanwhile`() throws {
        let server = try Self.server(streamWasReset: false)
        for id in stride(from: Int32(3), to: 9003, by: 2) {
            try server.receive(Self.request(on: id))
            try server.session.submitResponse(.response(200), on: id)
            _ = try server.send()
        }
        try server.receive(Self.request(on: 1))
        #expect(try Self.goAway(of: server) == [9001, Self.streamClosed])
    }

    @Test(arguments: [true, false])
    func `a frame that was on the way when the server reset the stream does no harm`(isData: Bool) throws {
        let server = try Self.connectedServer()
        try server.receive(Self.request(on: 1, ending: false))
        server.session.reset(1, code: .refusedStream)
        _ = try server.send()
        try server.receive(
            isData
                ? .data("{}", on: 1, flags: Frame.endStream)
                : .headers([("x-trailer", "1")], on: 1, flags: StreamEndTests.final))
        try server.receive(Self.request(on: 3))
        #expect(try Self.goAway(of: server) == nil)
        #expect(server.requests.map(\.streamID) == [3])
    }

    @Test(arguments: [1, 5, 9, .max])
    func `a body that ends with an empty frame after an early answer does no harm`(piece: Int) throws {
        let server = try Self.connectedServer()
        try server.receive(Self.request(on: 1, ending: false))
        try server.session.submitResponse(.response(503), on: 1)
        _ = try server.send()
        var rest = (Frame.data("{}", on: 1).bytes + Frame.data("", on: 1, flags: Frame.endStream).bytes)[...]
        while !rest.isEmpty {
            try server.receive(bytes: Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        try server.receive(Self.request(on: 3))
        #expect(try Self.goAway(of: server) == nil)
        #expect(server.requests.map(\.streamID).contains(3))
    }

    @Test func `so it is with a request that the server reset because it is malformed`() throws {
        let server = try Self.connectedServer()
        try server.receive(.headers([(":method", "POST"), ("te", "gzip")], on: 1, flags: Frame.endHeaders))
        _ = try server.send()
        try server.receive(.data("{}", on: 1, flags: Frame.endStream), Self.request(on: 3))
        #expect(try Self.goAway(of: server) == nil)
        #expect(server.requests.map(\.streamID) == [3])
    }

    @Test func `frames of streams that the server ignores after its GOAWAY do no harm`() throws {
        let server = try Self.connectedServer()
        try server.receive(Self.request(on: 1))
        server.session.goAway(debugData: Array("bye".utf8))
        _ = try server.send()
        try server.receive(Self.request(on: 3, ending: false), .data("{}", on: 3, flags: Frame.endStream))
        try server.session.submitResponse(.response(200), on: 1)
        let sent = try server.sendFrames()
        #expect(sent.contains { $0.kind == .headers })
        #expect(!sent.contains { $0.kind == .goAway })
    }

    @Test func `control frames on a finished stream are no frames of a request`() throws {
        let server = try Self.server(streamWasReset: false)
        try server.receive(.reset(1, code: 8), .windowUpdate(1, by: 100))
        #expect(try Self.goAway(of: server) == nil)
    }
}

@Suite struct StreamsEndedHereTests {
    @Test func `streams are remembered, and the memory is bounded on the safe side`() {
        var ended = StreamsEndedHere()
        for id in stride(from: Int32(1), to: 20_001, by: 4) { ended.insert(id) }
        #expect(ended.contains(19_997) && !ended.contains(19_999))
        // Forgotten streams count as ended here, so that nobody is blamed for them.
        #expect(ended.contains(1) && ended.contains(3))
        ended.insert(1)
        #expect(!ended.contains(19_999))
    }
}
