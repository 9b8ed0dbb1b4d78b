import Testing

@testable import PushWire

@Suite struct PeerStreamIDsTests {
    @Test func `ids in ascending order are new, and known afterwards`() {
        var ids = PeerStreamIDs()
        for id: Int32 in [1, 3, 5] { #expect(ids.uses(id) == .new) }
        for id: Int32 in [1, 3, 5] { #expect(ids.uses(id) == .known) }
    }

    @Test func `an id that was left out was passed over`() {
        var ids = PeerStreamIDs()
        #expect(ids.uses(3) == .new)
        #expect(ids.uses(9) == .new)
        #expect([1, 5, 7].map { ids.uses($0) } == [.passedOver, .passedOver, .passedOver])
        #expect([3, 9].map { ids.uses($0) } == [.known, .known])
    }

    @Test func `the library deals with even ids and with 0`() {
        var ids = PeerStreamIDs()
        _ = ids.uses(9)
        #expect([0, 2, 8].map { ids.uses($0) } == [.known, .known, .known])
    }

    @Test func `the last id is no problem, and many gaps are bounded`() {
        var ids = PeerStreamIDs()
        for number: Int32 in 1...3000 { _ = ids.uses(4 * number + 1) }
        #expect(ids.uses(4 * 2999 + 3) == .passedOver)
        #expect(ids.uses(3) == .known)
        #expect(ids.uses(.max) == .new)
    }
}

@Suite struct AnnouncedStreamLimitTests {
    @Test func `before the first limit everything is allowed`() {
        #expect(StreamLimit().judge(openStreams: 1_000_000) == .allowed)
    }

    @Test func `a limit counts in full when it is acknowledged`() {
        var limit = StreamLimit()
        limit.announced(1)
        #expect(limit.judge(openStreams: 1) == .allowed)
        #expect(limit.judge(openStreams: 2) == .beyondAnnounced)
        limit.acknowledged()
        #expect(limit.judge(openStreams: 1) == .allowed)
        #expect(limit.judge(openStreams: 2) == .beyondAcknowledged)
    }

    @Test func `a limit that is being raised is not the end`() {
        var limit = StreamLimit()
        limit.announced(1)
        limit.acknowledged()
        limit.announced(1000)
        #expect(limit.judge(openStreams: 2) == .beyondAnnounced)
        #expect(limit.judge(openStreams: 1001) == .beyondAcknowledged)
        limit.acknowledged()
        #expect(limit.judge(openStreams: 1000) == .allowed)
    }

    @Test func `SETTINGS without a limit change nothing`() {
        var limit = StreamLimit()
        limit.announced(1)
        limit.announced(nil)
        limit.acknowledged()
        #expect(limit.judge(openStreams: 2) == .beyondAcknowledged)
        limit.acknowledged()
        limit.acknowledged()
        #expect(limit.judge(openStreams: 2) == .beyondAcknowledged)
    }
}
