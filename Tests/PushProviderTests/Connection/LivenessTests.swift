import Testing

@testable import PushProvider

@Suite struct LivenessTests {
    var liveness = Liveness(trustedSilence: .seconds(60), now: .at(0))

    @Test mutating func `a connection is trusted until it has been silent too long`() {
        #expect(liveness.wantsToSend(now: .at(59)) == .use)
        #expect(liveness.wantsToSend(now: .at(60)) == .ask)
        #expect(liveness.wantsToSend(now: .at(61)) == .wait)
    }

    @Test mutating func `any bytes count as the answer to a check, also for the next request`() {
        #expect(liveness.wantsToSend(now: .at(70)) == .ask)
        #expect(liveness.received(now: .at(71)) == .answered)
        #expect(liveness.received(now: .at(72)) == .none)
        #expect(liveness.wantsToSend(now: .at(131)) == .use)
        // An answer of long ago says nothing.
        #expect(liveness.wantsToSend(now: .at(200)) == .ask)
    }

    @Test func `where silence is trusted for no time, an answer is good for what waited for it, and for that alone`() {
        var liveness = Liveness(trustedSilence: .nanoseconds(1), now: .at(0))
        #expect(liveness.wantsToSend(now: .at(1)) == .ask)
        #expect(liveness.received(now: .at(2)) == .answered)
        #expect(liveness.wantsToSend(now: .at(3)) == .use)
        liveness.sent()
        #expect(liveness.wantsToSend(now: .at(3)) == .ask)
    }

    @Test mutating func `one PING is on its way at a time`() {
        #expect(liveness.ask() == true)
        #expect(liveness.ask() == false)
        #expect(liveness.received(now: .at(1)) == .answered)
        #expect(liveness.ask() == true)
    }

    @Test mutating func `several deadlines in a row, with no answer between, are reported once`() {
        #expect((0..<2).map { _ in liveness.deadlinePassed() } == [false, false])
        liveness.streamAnswered()
        #expect((0..<5).map { _ in liveness.deadlinePassed() } == [false, false, true, false, false])
    }
}
