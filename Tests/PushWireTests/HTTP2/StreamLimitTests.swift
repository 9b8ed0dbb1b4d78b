import TestSupport
import Testing

@testable import PushWire

@Suite struct StreamLimitTests {
    @Test func `nothing is opened before the server's settings`() throws {
        let pair = try SessionPair()
        #expect(pair.client.session.freeStreams == 0)
        #expect(pair.client.session.peerSettings == nil)
        #expect(try pair.client.open() == nil)
        let frames = try pair.client.sendFrames()
        #expect(!frames.contains { $0.kind == .headers })
        try pair.server.receive(bytes: Frame.preface + frames.flatMap(\.bytes))

        try pair.serverToClient()
        #expect(pair.client.session.freeStreams == 1000)
        #expect(try pair.client.open() == 1)
    }

    @Test func `the settings are reported as the server announced them`() throws {
        let announced = HTTP2Settings(
            maxConcurrentStreams: 1, initialWindowSize: 100_000, maxHeaderListSize: 8000, headerTableSize: 1024,
            maxFrameSize: 20_000)
        let pair = try SessionPair.connected(server: HTTP2Session.Limits(settings: announced))
        #expect(pair.client.settings == [announced])
        #expect(pair.client.session.peerSettings == announced)
    }

    @Test func `a server that sets no limit leaves ours`() throws {
        var limits = HTTP2Session.Limits()
        limits.openStreams = 3
        let client = try Endpoint.connectedClient(limits: limits)
        #expect(client.session.peerSettings?.maxConcurrentStreams == nil)
        #expect((0..<5).compactMap { try? client.open(tag: $0) } == [1, 3, 5])
    }

    @Test(arguments: [0, 1, 2, 100, 150] as [UInt32])
    func `never are more streams open than the server allows`(allowed: UInt32) throws {
        let pair = try SessionPair.connected(maxConcurrentStreams: allowed)
        for tag in 0..<Int(allowed) {
            #expect(pair.client.session.freeStreams == Int(allowed) - tag)
            #expect(try pair.client.open(tag: tag) != nil)
        }
        #expect(pair.client.session.freeStreams == 0)
        #expect(try pair.client.open(tag: 1000) == nil)
        try pair.exchange()
        #expect(pair.server.requests.count == Int(allowed))
        try pair.answerAll()
        try pair.exchange()
        #expect(pair.client.session.freeStreams == Int(allowed))
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `the limit is live, from 1 to 1000 and back`() throws {
        let pair = try SessionPair.connected(maxConcurrentStreams: 1)
        try pair.client.open(tag: 0)
        #expect(pair.client.session.freeStreams == 0)

        try pair.server.session.announceSettings(HTTP2Settings(maxConcurrentStreams: 1000))
        try pair.exchange()
        #expect(pair.client.session.freeStreams == 999)
        for tag in 1..<1000 { #expect(try pair.client.open(tag: tag) != nil) }
        #expect(try pair.client.open(tag: 1000) == nil)
        try pair.exchange()
        #expect(pair.server.requests.count == 1000)

        try pair.server.session.announceSettings(HTTP2Settings(maxConcurrentStreams: 1))
        try pair.exchange()
        #expect(pair.client.session.freeStreams == 0)
        for id in 0..<999 {
            try pair.server.session.submitResponse(.response(200), on: Int32(2 * id + 1))
        }
        try pair.exchange()
        #expect(pair.client.session.openStreams == 1)
        #expect(pair.client.session.freeStreams == 0)
        #expect(try pair.client.open(tag: 1000) == nil)
        try pair.server.session.submitResponse(.response(200), on: 1999)
        try pair.exchange()
        #expect(pair.client.session.freeStreams == 1)
        #expect(pair.client.settings.map(\.maxConcurrentStreams) == [1, 1000, 1])
        #expect(pair.client.causes.allSatisfy { $0 == .answered })
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `requests taken before the limit fell wait for it and are still answered`() throws {
        let pair = try SessionPair.connected(maxConcurrentStreams: 5)
        for tag in 0..<5 { try pair.client.open(tag: tag) }
        try pair.server.session.announceSettings(HTTP2Settings(maxConcurrentStreams: 1))
        try pair.serverToClient()
        #expect(pair.client.session.freeStreams == 0)
        for served in 1...5 {
            try pair.exchange()
            #expect(pair.server.requests.count == served)
            try pair.answerAll()
        }
        try pair.exchange()
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `a reset of a request that waits for the limit is reported and never sent`() throws {
        let pair = try SessionPair.connected(maxConcurrentStreams: 2)
        try pair.client.open(tag: 0)
        let waiting = try #require(try pair.client.open(tag: 1))
        try pair.server.session.announceSettings(HTTP2Settings(maxConcurrentStreams: 1))
        try pair.serverToClient()
        try pair.clientToServer()
        pair.client.session.reset(waiting)
        try pair.exchange()
        #expect(pair.client.cause(ofTag: 1) == .resetHere(HTTP2ErrorCode.cancel.rawValue))
        try pair.answerAll()
        try pair.exchange()
        #expect(pair.server.requests.map(\.streamID) == [1])
        #expect(pair.client.cause(ofTag: 0) == .answered)
        pair.client.expectEachStreamEndedOnce()
    }

    @Test func `when the stream ids are used up nothing more is opened and the last one is answered`() throws {
        let pair = try SessionPair.connected()
        pair.client.session.skipStreamIDs(to: .max)
        #expect(try pair.client.open(tag: 1) == .max)
        #expect(try pair.client.open(tag: 2) == nil)
        #expect(pair.client.session.freeStreams == 0)
        #expect(pair.client.session.openStreams == 1)
        try pair.exchange()
        try pair.answerAll()
        try pair.exchange()
        #expect(pair.client.causes == [.answered])
        pair.client.expectEachStreamEndedOnce()
    }
}
