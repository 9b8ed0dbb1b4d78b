import TestSupport
import Testing

@testable import PushWire

/// How streams end from the client's view, the server's part played by frames made by hand where a real one would
/// not misbehave.
@Suite struct StreamEndTests {
    static let final = Frame.endHeaders | Frame.endStream

    // MARK: GOAWAY

    @Test func `after GOAWAY streams above the last id are unprocessed, the others finish, none is opened`() throws {
        let client = try Endpoint.clientWithOpenStreams(4)
        let words = #"{"reason":"Shutdown"}"#
        try client.receive(.goAway(lastStreamID: 3, debugData: words))
        #expect(client.goAways == [HTTP2GoAway(lastStreamID: 3, errorCode: 0, debugData: Array(words.utf8))])
        #expect(client.session.isGoingAway)
        #expect(client.ends.map(\.tag).sorted() == [2, 3])
        #expect(client.causes == [.unprocessed, .unprocessed])
        #expect(client.session.freeStreams == 0)
        #expect(try client.open(tag: 9) == nil)
        #expect(client.session.openStreams == 2)

        try client.receive(
            .headers([(":status", "200")], on: 1, flags: Self.final),
            .headers([(":status", "410")], on: 3, flags: Self.final))
        #expect(client.cause(ofTag: 0) == .answered)
        #expect(client.cause(ofTag: 1) == .answered)
        #expect(client.ends.last?.response.status == 410)
        client.expectEachStreamEndedOnce()
    }

    @Test func `a second GOAWAY can lower the last id and not raise it`() throws {
        let client = try Endpoint.clientWithOpenStreams(3)
        try client.receive(.goAway(lastStreamID: .max))
        #expect(client.ends.isEmpty)
        #expect(client.session.freeStreams == 0)
        try client.receive(.goAway(lastStreamID: 1))
        #expect(client.ends.map(\.tag).sorted() == [1, 2])
        try? client.receive(.goAway(lastStreamID: 5))
        _ = try client.send()
        #expect(client.session.isFinished)
        client.endAllStreams()
        #expect(client.cause(ofTag: 0) == .connectionLost)
        #expect(client.ends.count == 3)
    }

    @Test func `a request that was taken but not sent before GOAWAY is unprocessed`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.open(tag: 1)
        try client.receive(.goAway(lastStreamID: 1))
        #expect(try client.sendFrames().contains { $0.kind == .headers } == false)
        #expect(client.cause(ofTag: 1) == .unprocessed)
        try client.receive(.headers([(":status", "200")], on: 1, flags: Self.final))
        client.expectEachStreamEndedOnce()
    }

    @Test func `an answer with too many fields shows that its stream was processed`() throws {
        let client = try Endpoint.clientWithOpenStreams(2)
        let long = String(repeating: "x", count: 9000)
        // It comes before the client's reset is on its way.
        try client.receive(
            .headers([(":status", "200"), ("a", long)], on: 1, flags: 0),
            .continuation([("b", long)], on: 1, flags: Frame.endHeaders),
            .goAway(lastStreamID: 0))
        #expect(client.cause(ofTag: 0) == .resetHere(HTTP2ErrorCode.protocolError.rawValue))
        #expect(client.cause(ofTag: 1) == .unprocessed)
        client.expectEachStreamEndedOnce()
    }

    @Test func `an answer without a status shows that its stream was processed`() throws {
        let client = try Endpoint.clientWithOpenStreams(3)
        try client.receive(
            .headers([("apns-id", "x")], on: 1, flags: Frame.endHeaders),
            .headers([(":status", "103")], on: 3, flags: Frame.endHeaders),
            .headers([("apns-id", "x")], on: 3, flags: Frame.endHeaders),
            .goAway(lastStreamID: 0))
        for tag in [0, 1] {
            #expect(client.cause(ofTag: tag) == .resetHere(HTTP2ErrorCode.protocolError.rawValue))
        }
        #expect(client.cause(ofTag: 2) == .unprocessed)
        client.expectEachStreamEndedOnce()
    }

    @Test func `the words of a GOAWAY are kept up to 4096 bytes`() throws {
        let client = try Endpoint.clientWithOpenStreams(0)
        try client.receive(.goAway(lastStreamID: 0, code: 11, debugData: String(repeating: "x", count: 9000)))
        #expect(client.goAways.first?.debugData.count == 4096)
        #expect(client.goAways.first?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    @Test func `a server's GOAWAY names its newest stream, and finishes what it has begun`() throws {
        let pair = try SessionPair.connected()
        try pair.client.open(tag: 0)
        try pair.client.open(tag: 1)
        try pair.clientToServer()
        try pair.client.open(tag: 2)
        _ = try pair.client.send()  // lost on its way: the server has not seen it when it says GOAWAY
        pair.server.session.goAway(code: .noError, debugData: Array("bye".utf8))
        try pair.answerAll()
        try pair.serverToClient()
        #expect(pair.client.goAways.first == HTTP2GoAway(lastStreamID: 3, errorCode: 0, debugData: Array("bye".utf8)))
        #expect((0..<3).map { pair.client.cause(ofTag: $0) } == [.answered, .answered, .unprocessed])
        pair.client.expectEachStreamEndedOnce()
    }

    // MARK: RST_STREAM

    @Test func `REFUSED_STREAM means unprocessed`() throws {
        let client = try Endpoint.clientWithOpenStreams(2)
        try client.receive(.reset(3, code: 7))
        #expect(client.ends.map(\.tag) == [1])
        #expect(client.causes == [.unprocessed])
        #expect(client.session.openStreams == 1)
    }

    @Test(arguments: [0, 1, 2, 8, 11, 0xFFFF] as [UInt32])
    func `any other reset is reported with its code`(code: UInt32) throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.reset(1, code: code))
        #expect(client.causes == [.resetByPeer(code)])
        #expect(client.ends.first?.response.status == nil)
        client.expectEachStreamEndedOnce()
    }

    @Test func `a reset behind a status keeps the status and what came of the answer`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(
            .headers([(":status", "200"), ("apns-id", "1")], on: 1), .data("half", on: 1), .reset(1, code: 2))
        let end = try #require(client.ends.first)
        #expect(end.cause == .resetByPeer(2))
        #expect(end.response.status == 200)
        #expect(end.response.headers["apns-id"] == "1")
        #expect(end.response.body == Array("half".utf8))
        client.expectEachStreamEndedOnce()
    }

    @Test func `a stream that has a status was processed, whatever the server says later`() throws {
        let client = try Endpoint.clientWithOpenStreams(2)
        try client.receive(.headers([(":status", "200")], on: 1), .headers([(":status", "200")], on: 3))
        try client.receive(.reset(3, code: 7), .goAway(lastStreamID: 0))
        #expect(client.ends.map(\.response.status) == [200, 200])
        #expect(client.causes == [.resetByPeer(7), .resetByPeer(7)])
        client.expectEachStreamEndedOnce()
    }

    @Test func `a reset behind the complete answer changes nothing`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "200")], on: 1, flags: Self.final), .reset(1, code: 0))
        #expect(client.causes == [.answered])
        client.expectEachStreamEndedOnce()
    }

    @Test func `a request with more fields than a frame sequence holds is not sent, and unprocessed`() throws {
        let client = try Endpoint.connectedClient()
        let large = (0..<3).map { (name: "x-\($0)", value: String(repeating: "~", count: 30_000)) }
        try client.open(.request(extra: large), tag: 4)
        #expect(try client.sendFrames().isEmpty)
        #expect(client.causes == [.unprocessed])
        client.expectEachStreamEndedOnce()
    }

    @Test func `how a stream ended says nothing about the next one`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "200")], on: 1), .data("half", on: 1), .reset(1, code: 2))
        try client.open(tag: 1)
        _ = try client.send()
        client.session.reset(3)
        _ = try client.send()
        #expect(client.causes == [.resetByPeer(2), .resetHere(8)])
        #expect(client.ends.last?.response.status == nil)
        #expect(client.ends.last?.response.body.isEmpty == true)
        client.expectEachStreamEndedOnce()
    }

    // MARK: Our own reset

    @Test func `our reset frees the place once it is sent, and what comes later is ignored`() throws {
        let client = try Endpoint.connectedClient(settings: .maxConcurrentStreams(1))
        let id = try #require(try client.open(tag: 5))
        _ = try client.send()
        client.session.reset(id, code: .cancel)
        #expect(client.session.freeStreams == 0)
        #expect(try client.sendFrames() == [.reset(id, code: 8)])
        #expect(client.ends.map(\.tag) == [5])
        #expect(client.causes == [.resetHere(8)])
        #expect(client.session.freeStreams == 1)

        try client.receive(.headers([(":status", "200")], on: id), .data("late", on: id, flags: Frame.endStream))
        #expect(client.ends.count == 1)
        #expect(try client.open(tag: 6) == 3)
        _ = try client.send()
        try client.receive(.headers([(":status", "200")], on: 3, flags: Self.final))
        client.expectEachStreamEndedOnce()
    }

    // MARK: Before the end

    @Test func `what has come of an answer can be asked for, and stays for the end`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        #expect(client.session.answerSoFar(on: 1) == nil)
        try client.receive(.headers([(":status", "103"), ("link", "x")], on: 1, flags: Frame.endHeaders))
        #expect(client.session.answerSoFar(on: 1) == nil)
        try client.receive(.headers([(":status", "410"), ("apns-id", "1")], on: 1, flags: Frame.endHeaders))
        #expect(client.session.answerSoFar(on: 1)?.status == 410)
        try client.receive(.data("half", on: 1))
        for _ in 0..<2 {
            let answer = try #require(client.session.answerSoFar(on: 1))
            #expect(answer.status == 410)
            #expect(answer.headers == HeaderBlock([("apns-id", "1")]))
            #expect(answer.body == Array("half".utf8))
            #expect(answer.bodyByteCount == 4)
        }
        try client.receive(.data(" and the rest", on: 1, flags: Frame.endStream))
        #expect(client.session.answerSoFar(on: 1) == nil)
        let end = try #require(client.ends.first)
        #expect(end.cause == .answered)
        #expect(end.response.headers["apns-id"] == "1")
        #expect(end.response.body == Array("half and the rest".utf8))
        client.expectEachStreamEndedOnce()
    }

    @Test func `fields that have not come to their end are no answer`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "200")], on: 1, flags: 0))
        #expect(client.session.answerSoFar(on: 1) == nil)
        try client.receive(.continuation([("apns-id", "1")], on: 1, flags: Frame.endHeaders))
        #expect(client.session.answerSoFar(on: 1)?.status == 200)
    }

    @Test func `streams that are not open have no answer`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        let unsent = try #require(try client.open(tag: 1))
        for id in [-1, 0, 2, unsent, 99] { #expect(client.session.answerSoFar(on: id) == nil) }
    }

    @Test func `a request that is reset before it was sent never goes out`() throws {
        let client = try Endpoint.connectedClient()
        let id = try #require(try client.open(body: [1, 2, 3], tag: 5))
        client.session.reset(id)
        #expect(try client.sendFrames().isEmpty)
        #expect(client.causes == [.resetHere(8)])
        client.expectEachStreamEndedOnce()
    }

    @Test func `to reset a stream that is over, or never was, sends nothing`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        try client.receive(.headers([(":status", "200")], on: 1, flags: Self.final))
        for id in [-1, 0, 1, 2, 99] as [Int32] { client.session.reset(id) }
        #expect(try client.sendFrames().isEmpty)
        client.expectEachStreamEndedOnce()
    }

    @Test func `two resets are sent as one`() throws {
        let client = try Endpoint.clientWithOpenStreams(1)
        client.session.reset(1)
        client.session.reset(1)
        #expect(try client.sendFrames() == [.reset(1, code: 8)])
        client.expectEachStreamEndedOnce()
    }
}
