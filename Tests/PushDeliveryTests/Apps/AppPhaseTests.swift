import PushProvider
import Testing

@testable import PushDelivery

struct AppPhaseTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private static let refusal = AppCorrection(.credentials, "Refused.")

    private static func after(_ seconds: Int) -> MonotonicTime { start.advanced(by: .seconds(seconds)) }

    private func phase(_ signals: [AppSignal]) -> AppPhase {
        var phase = AppPhase()
        for signal in signals { phase.ended(signal, isTry: false, now: Self.start, chance: 1) }
        return phase
    }

    private static func failures(_ count: Int) -> [AppSignal] {
        Array(repeating: .failed(asked: nil), count: count)
    }

    @Test func `an app is failing from the first failure to the next answer`() {
        #expect(!phase([]).isFailing)
        #expect(phase(Self.failures(1)).isFailing)
        #expect(!phase(Self.failures(1) + [.answered]).isFailing)
    }

    @Test func `an app takes part while it sends or tries, not while it rests or is refused for good`() {
        var phase = AppPhase()
        #expect(phase.takesPart(at: Self.start))
        phase.pause = ""
        #expect(phase.takesPart(at: Self.start))
        phase.pause = nil
        phase.ended(.refused(AppCorrection(.topic, "")), isTry: false, now: Self.start, chance: 1)
        #expect(!phase.takesPart(at: Self.start))
        let later = Self.after(61)
        #expect(phase.takesPart(at: later))
        let isTry = phase.sent()
        #expect(isTry)
        #expect(phase.takesPart(at: Self.start))
        phase.ended(.refused(AppCorrection(.mismatch, "")), isTry: true, now: later, chance: 1)
        #expect(!phase.takesPart(at: later.advanced(by: .seconds(100_000))))
        phase.goDown("")
        #expect(!phase.takesPart(at: later))
    }

    @Test func `an app rests after 20 failures in a row, and not before`() {
        #expect(phase(Self.failures(19)).allowedJobs(at: Self.start) == .all)
        #expect(phase(Self.failures(20)).allowedJobs(at: Self.start) == .none(until: Self.after(1)))
        #expect(phase(Self.failures(19) + [.answered] + Self.failures(19)).allowedJobs(at: Self.start) == .all)
    }

    @Test func `after a rest, one job tries, and each failed try doubles the rest`() {
        var phase = phase(Self.failures(20))
        #expect(phase.allowedJobs(at: Self.after(1)) == .one)
        #expect(phase.sent() == true)
        #expect(phase.allowedJobs(at: Self.after(1)) == .none(until: nil))
        phase.ended(.failed(asked: nil), isTry: true, now: Self.after(1), chance: 1)
        #expect(phase.allowedJobs(at: Self.after(1)) == .none(until: Self.after(3)))
        #expect(phase.sent() == true)
        phase.ended(.answered, isTry: true, now: Self.after(3), chance: 1)
        #expect(phase.allowedJobs(at: Self.after(3)) == .all)
    }

    @Test func `a pause that Apple asks for is kept`() {
        var phase = phase(Self.failures(19) + [.failed(asked: .seconds(300))])
        #expect(phase.allowedJobs(at: Self.start) == .none(until: Self.after(300)))
        phase.ended(.failed(asked: .seconds(600)), isTry: false, now: Self.start, chance: 1)
        #expect(phase.allowedJobs(at: Self.start) == .none(until: Self.after(600)))
    }

    @Test func `a refused app waits for a correction, and tries one job after a minute`() {
        var phase = phase([.refused(Self.refusal)])
        #expect(phase.allowedJobs(at: Self.start) == .none(until: Self.after(61)))
        // Answers to earlier jobs change nothing.
        phase.ended(.answered, isTry: false, now: Self.start, chance: 1)
        #expect(phase.allowedJobs(at: Self.after(61)) == .one)
        #expect(phase.sent() == true)
        phase.ended(.refused(Self.refusal), isTry: true, now: Self.after(61), chance: 1)
        #expect(phase.allowedJobs(at: Self.after(61)) == .none(until: Self.after(61 + 122)))
        #expect(phase.sent() == true)
        phase.ended(.answered, isTry: true, now: Self.after(200), chance: 1)
        #expect(phase.allowedJobs(at: Self.after(200)) == .all)
    }

    @Test func `a try whose outcome says nothing makes room for another one`() {
        var phase = phase([.refused(Self.refusal)])
        #expect(phase.sent() == true)
        phase.ended(.nothing, isTry: true, now: Self.after(61), chance: 1)
        #expect(phase.allowedJobs(at: Self.after(61)) == .one)
    }

    @Test func `with a mismatch nothing is tried`() {
        var phase = phase([.refused(AppCorrection(.mismatch, "Wrong."))])
        #expect(phase.allowedJobs(at: Self.after(1_000_000)) == .none(until: nil))
        phase.run()
        #expect(phase.allowedJobs(at: Self.start) == .all)
    }

    @Test func `what the operator has paused stays paused through a correction`() {
        var phase = phase([.refused(Self.refusal)])
        phase.pause = ""
        phase.run()
        #expect(phase.allowedJobs(at: Self.start) == .none(until: nil))
        phase.pause = nil
        #expect(phase.allowedJobs(at: Self.start) == .all)
    }

    @Test func `an app that is down needs its credentials`() {
        var phase = AppPhase()
        phase.goDown("No file.")
        phase.ended(.answered, isTry: false, now: Self.start, chance: 1)
        #expect(phase.allowedJobs(at: Self.after(10_000)) == .none(until: nil))
        #expect(phase.phase == .down("No file."))
    }
}
