import Testing

@testable import PushCampaign
@testable import PushProvider

/// When a campaign pauses because the server takes nothing, when it tries again, and when it gives up.
struct OutageStateTests {
    private var state = OutageState(longestOutage: .seconds(600))
    private let refusal = OutageState.Refusal(message: "503 ServiceUnavailable")

    private func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds * 1_000_000_000))
    }

    /// Sends a number of lines at once, and gives all of them the same result.
    private mutating func send(_ count: Int, _ signal: OutageState.Signal, at seconds: Double) {
        for _ in 0..<count { state.sent(now: time(seconds)) }
        for _ in 0..<count { state.concluded(signal, now: time(seconds), chance: 1) }
    }

    @Test mutating func `nineteen refused lines change nothing, the twentieth pauses`() {
        send(19, .refused(refusal), at: 0)
        #expect(state.permission(now: time(0)) == .go)
        #expect(state.pause == nil)
        send(1, .refused(refusal), at: 0)
        #expect(state.permission(now: time(0)) == .wait(until: time(1)))
        #expect(state.pause?.refusal == refusal)
    }

    @Test mutating func `one answered line between shows that the server works`() {
        send(19, .refused(refusal), at: 0)
        send(1, .answered, at: 0)
        send(19, .refused(refusal), at: 0)
        #expect(state.permission(now: time(0)) == .go)
    }

    @Test mutating func `while it is paused one line is tried at a time, and less and less often`() {
        send(20, .refused(refusal), at: 0)
        var now = 0.0
        var pauses: [Double] = []
        for _ in 0..<9 {
            guard case .wait(let until) = state.permission(now: time(now)) else {
                Issue.record("It does not wait.")
                return
            }
            let next = Double(until.nanoseconds) / 1_000_000_000
            pauses.append(next - now)
            now = next
            #expect(state.permission(now: time(now)) == .go)
            state.sent(now: time(now))
            #expect(state.permission(now: time(now)) == .waitForResults)
            state.concluded(.refused(refusal), now: time(now), chance: 1)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test mutating func `what was in flight when the pause began does not make it longer`() {
        for _ in 0..<500 { state.sent(now: time(0)) }
        for _ in 0..<500 { state.concluded(.refused(refusal), now: time(0), chance: 1) }
        #expect(state.permission(now: time(0)) == .wait(until: time(1)))
    }

    @Test mutating func `an answer to the tried line ends the pause`() {
        send(20, .refused(refusal), at: 0)
        send(1, .answered, at: 5)
        #expect(state.permission(now: time(5)) == .go)
        #expect(state.pause == nil)
        send(19, .refused(refusal), at: 6)
        #expect(state.permission(now: time(6)) == .go)
    }

    @Test mutating func `a pause that the server asks for is kept`() {
        var asked = refusal
        asked.askedPause = .seconds(100)
        send(20, .refused(asked), at: 0)
        #expect(state.permission(now: time(99)) == .wait(until: time(100)))
        #expect(state.permission(now: time(100)) == .go)
    }

    @Test mutating func `a server that asks for more than the campaign may wait ends it at once`() {
        var asked = refusal
        asked.askedPause = .seconds(900)
        send(20, .refused(asked), at: 0)
        guard case .giveUp(let stop) = state.permission(now: time(0)) else {
            Issue.record("It does not give up.")
            return
        }
        #expect(stop.code == .outage)
    }

    @Test mutating func `lines that waited for a connection count from when they were sent`() {
        let unreachable = OutageState.Refusal(isUnreachable: true, message: "nothing listens there.")
        for _ in 0..<20 { state.sent(now: time(0)) }
        for _ in 0..<20 { state.concluded(.refused(unreachable), now: time(60), chance: 1) }
        #expect(state.pause?.since == time(0))
        guard case .giveUp(let stop) = state.permission(now: time(600)) else {
            Issue.record("It does not give up.")
            return
        }
        #expect(stop.description == "Couldn't connect for 600 s. The last failure: nothing listens there.")
    }

    @Test mutating func `after the longest outage it gives up, and not while a line is on its way`() {
        send(20, .refused(refusal), at: 0)
        state.sent(now: time(0))
        #expect(state.permission(now: time(600)) == .waitForResults)
        state.concluded(.refused(refusal), now: time(600), chance: 1)
        guard case .giveUp(let stop) = state.permission(now: time(600)) else {
            Issue.record("It does not give up.")
            return
        }
        #expect(stop.code == .outage)
        #expect(stop.description == "The server accepted no line for 600 s. Last answer: 503 ServiceUnavailable")
    }

    @Test mutating func `a few lines alone are given up too, once all of them have come back`() {
        send(3, .refused(refusal), at: 0)
        #expect(state.permission(now: time(599)) == .go)
        if case .giveUp = state.permission(now: time(600)) {} else { Issue.record("It does not give up.") }
    }

    @Test mutating func `a server that cannot be reached is reported as unreachable`() {
        let unreachable = OutageState.Refusal(isUnreachable: true, message: "connection refused")
        send(20, .refused(unreachable), at: 0)
        guard case .giveUp(let stop) = state.permission(now: time(600)) else {
            Issue.record("It does not give up.")
            return
        }
        #expect(stop.code == .unreachable)
    }

    @Test mutating func `a result that says nothing of the server lets the next line be tried`() {
        send(20, .refused(refusal), at: 0)
        send(1, .none, at: 1)
        #expect(state.permission(now: time(1)) == .go)
    }

    @Test mutating func `with no wait at all it gives up as soon as nothing is in flight`() {
        state = OutageState(longestOutage: .zero)
        send(1, .refused(refusal), at: 0)
        if case .giveUp = state.permission(now: time(0)) {} else { Issue.record("It does not give up.") }
    }

    @Test mutating func `lines that the server wants much later are waited for as long as an outage, and no longer`() {
        send(5, .refused(refusal), at: 0)
        #expect(state.giveUp(now: time(0), asked: nil) == nil)
        #expect(state.giveUp(now: time(0), asked: time(599)) == nil)
        #expect(state.giveUp(now: time(0), asked: time(601))?.code == .outage)
        #expect(state.giveUp(now: time(600), asked: nil)?.code == .outage)
        send(1, .answered, at: 100)
        #expect(state.giveUp(now: time(600), asked: time(1199)) == nil)
        #expect(state.giveUp(now: time(600), asked: time(1201))?.code == .outage)
        state.sent(now: time(600))
        #expect(state.giveUp(now: time(600), asked: time(1201)) == nil)
    }
}
