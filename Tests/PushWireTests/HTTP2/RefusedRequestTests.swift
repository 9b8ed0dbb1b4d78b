import PushWire
import TestSupport
import Testing

/// What a server does not take, and why.
@Suite struct RefusedRequestTests {
    private static let good = [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":authority", "a")]
    private static let protocolError = HTTP2ErrorCode.protocolError.rawValue

    private static func server(
        streams: UInt32? = nil, acknowledges: Bool = true, refusesEarlyStreams: Bool = false
    ) throws -> Endpoint {
        var limits = HTTP2Session.Limits(settings: HTTP2Settings(maxConcurrentStreams: streams))
        limits.refusesEarlyStreams = refusesEarlyStreams
        let server = try Endpoint(.server, limits: limits)
        try server.receive(bytes: Frame.preface + Frame.emptySettings.bytes)
        _ = try server.send()
        if acknowledges { try server.receive(Frame(kind: .settings, flags: Frame.acknowledgement)) }
        return server
    }

    private static func request(
        on id: Int32, _ fields: [(String, String)] = good, ending: Bool = true
    ) -> Frame {
        .headers(fields, on: id, flags: ending ? StreamEndTests.final : Frame.endHeaders)
    }

    // MARK: What breaks the rules

    static let malformed: [(fields: [(String, String)], words: String)] = [
        (good + [("connection", "close")], #""connection""#),
        (good + [("te", "gzip")], #""te""#),
        (good + [("Apns-Topic", "a")], #""Apns-Topic""#),
        (good + [("x y", "a")], #""x y""#),
        (good + [("authorization", "bearer secret\u{0}")], #""authorization""#),
        (good + [(":path", "/")], #"":path""#),
        ([(":method", "POST"), (":path", "/"), (":authority", "a")], "The request has no :scheme"),
        ([(":method", "POST")], "The request has no :scheme, :path"),
        (good + [("content-length", "3")], "The content-length isn't the length of the body"),
    ]

    @Test(arguments: malformed.indices)
    func `a request that is not legal is reset, and reported with the mistake`(index: Int) throws {
        let (fields, words) = Self.malformed[index]
        let server = try Self.server()
        try server.receive(Self.request(on: 1, fields), Self.request(on: 3))
        let frames = try server.sendFrames()
        #expect(frames.filter { $0.kind == .resetStream }.map(\.resetCode) == [Self.protocolError])
        #expect(server.requests.map(\.streamID) == [3])
        #expect(server.refusals.map(\.streamID) == [1])
        guard case .malformed(let code, let text)? = server.refusals.first?.refusal else {
            Issue.record("\(server.refusals)")
            return
        }
        #expect(code == Self.protocolError)
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains("secret"))
    }

    @Test func `what came before the field that is wrong is kept`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1, Self.good + [("apns-topic", "a.b"), ("te", "gzip"), ("x", "y")]))
        _ = try server.send()
        let requests = server.events.compactMap { if case .requestRefused(let it, _) = $0 { it } else { nil } }
        #expect(requests.first?.headers["apns-topic"] == "a.b")
    }

    @Test func `a body that is shorter or longer than content-length is reported`() throws {
        for body in ["{", "{}{}"] {
            let server = try Self.server()
            try server.receive(Self.request(on: 1, Self.good + [("content-length", "2")], ending: false))
            try server.receive(.data(body, on: 1, flags: Frame.endStream))
            _ = try server.send()
            #expect(server.refusals.count == 1)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a space at the end of a value is legal here`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1, Self.good + [("authorization", "bearer ")]))
        #expect(server.requests.first?.headers["authorization"] == "bearer ")
    }

    /// RFC 9113 section 5.1.1.
    @Test func `a stream id that was passed over ends the connection`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1), Self.request(on: 7))
        let first = try server.sendFrames()
        #expect(!first.contains { $0.kind == .goAway })
        try server.receive(Self.request(on: 5))
        let goAway = try #require(try server.sendFrames().first { $0.kind == .goAway })
        #expect(goAway.payload[4..<8].elementsEqual(Self.protocolError.bigEndianBytes))
        #expect(server.requests.map(\.streamID) == [1, 7])
        #expect(server.session.isFinished)
    }

    @Test func `trailers on a stream with a lower id are legal`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1, ending: false), Self.request(on: 3))
        try server.receive(.headers([("x", "y")], on: 1, flags: StreamEndTests.final))
        #expect(server.requests.map(\.streamID) == [3, 1])
        #expect(!server.session.isFinished)
    }

    // MARK: Streams beyond the limit

    @Test func `streams that come before the limit is acknowledged are served and counted`() throws {
        let server = try Self.server(streams: 1, acknowledges: false)
        for id in [1, 3, 5] { try server.receive(Self.request(on: Int32(id))) }
        #expect(server.requests.map(\.isBeyondAnnouncedLimit) == [false, true, true])
        #expect(server.session.earlyStreams == 2)
        #expect(server.refusals.isEmpty)
    }

    @Test func `or they are refused`() throws {
        let server = try Self.server(streams: 1, acknowledges: false, refusesEarlyStreams: true)
        for id in [1, 3, 5] { try server.receive(Self.request(on: Int32(id))) }
        #expect(server.requests.map(\.streamID) == [1])
        #expect(server.refusals.map(\.streamID) == [3, 5])
        #expect(server.refusals.allSatisfy { $0.refusal == .beyondAnnouncedLimit })
        let resets = try server.sendFrames().filter { $0.kind == .resetStream }
        #expect(resets.map(\.streamID) == [3, 5])
        #expect(resets.allSatisfy { $0.resetCode == HTTP2ErrorCode.refusedStream.rawValue })
        #expect(server.session.openStreams == 1)
    }

    @Test func `beyond the acknowledged limit, a stream is reported as one that ends the connection`() throws {
        let server = try Self.server(streams: 1)
        try server.receive(Self.request(on: 1), Self.request(on: 3))
        #expect(server.requests.map(\.streamID) == [1])
        #expect(server.refusals.map(\.streamID) == [3])
        #expect(server.refusals.first?.refusal == .beyondAcknowledgedLimit)
    }

    @Test func `a thousand early streams are open at the most`() throws {
        let server = try Self.server(streams: 1, acknowledges: false)
        for id in 0..<1001 { try server.receive(Self.request(on: Int32(2 * id + 1))) }
        #expect(server.requests.count == 1000)
        #expect(server.refusals.map(\.streamID) == [2001])
    }

    // MARK: Answers that do not leave

    @Test func `an answer has left when its HEADERS are in a frame`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1), Self.request(on: 3))
        try server.session.submitResponse(.response(200), on: 1)
        try server.session.submitResponse(.response(400), body: [1], on: 3)
        #expect(server.session.answerHasNotLeft(1))
        #expect(server.session.answerHasNotLeft(3))
        _ = try server.send()
        #expect(!server.session.answerHasNotLeft(1))
        #expect(!server.session.answerHasNotLeft(3))
        #expect(server.session.allAnswersHaveLeft)
    }

    @Test func `an answer on a stream that the client resets does not leave`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1))
        try server.session.submitResponse(.response(200), on: 1)
        try server.receive(.reset(1, code: 8))
        _ = try server.send()
        #expect(server.session.hasLostAnswer(1))
        #expect(!server.session.allAnswersHaveLeft)
        server.session.forgetLostAnswers()
        #expect(server.session.allAnswersHaveLeft)
    }

    @Test func `an answer after a violation does not leave`() throws {
        let server = try Self.server()
        try server.receive(Self.request(on: 1), .data("x", on: 99))
        try server.session.submitResponse(.response(200), on: 1)
        let frames = try server.sendFrames()
        #expect(!frames.contains { $0.kind == .headers })
        #expect(server.session.answerHasNotLeft(1))
    }
}
