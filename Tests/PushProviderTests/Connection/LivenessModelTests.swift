import TestSupport
import Testing

@testable import PushProvider

/// Random sequences of happenings against a checker that refuses trust in a connection that may be dead.
@Suite struct LivenessModelTests {
    private static let silence: Duration = .seconds(60)

    struct Checker {
        var lastHeard: MonotonicTime
        /// A PING is on its way.
        var isAsked = false
        /// A PING was answered, and nothing was sent behind it.
        var isFresh = false
        var deadlinesInARow = 0
        var complaints: [String] = []

        mutating func require(_ isFine: Bool, _ rule: String) {
            if !isFine { complaints.append(rule) }
        }

        mutating func saidToUse(_ action: Liveness.UseAction, now: MonotonicTime) {
            let isSilent = lastHeard.duration(to: now) >= LivenessModelTests.silence
            switch action {
            case .use: require(!isSilent || isFresh, "no request after a long silence that nobody has asked about")
            case .ask:
                require(!isAsked, "one PING at a time")
                require(isSilent, "no PING where there is no silence")
                isAsked = true
            case .wait:
                require(isAsked, "waits for an answer only")
                require(isSilent, "a connection that is heard of is used")
            }
        }
    }

    /// One test and not thousands: their names alone would fill the log.
    @Test func `no sequence of happenings makes it trust what is silent`() {
        for seed in 1...3_000 as ClosedRange<UInt64> where !Self.isFine(seed) { return }
    }

    /// - Returns: `false` when something was wrong: one seed is enough to look into.
    private static func isFine(_ seed: UInt64) -> Bool {
        var chance = SeededGenerator(seed: seed)
        var now = MonotonicTime.at(1)
        var liveness = Liveness(trustedSilence: Self.silence, now: now)
        var checker = Checker(lastHeard: now)
        for _ in 0..<100 { step(&liveness, &checker, &now, &chance) }
        checker.require(liveness.isAsked == checker.isAsked, "it knows whether it has asked")
        #expect(checker.complaints.isEmpty, "seed \(seed)")
        return checker.complaints.isEmpty
    }

    private static func step(
        _ liveness: inout Liveness, _ checker: inout Checker, _ now: inout MonotonicTime,
        _ chance: inout SeededGenerator
    ) {
        now = now.advanced(by: .seconds(Int.random(in: 0...(chance.oneIn(3) ? 70 : 1), using: &chance)))
        switch Int.random(in: 0..<12, using: &chance) {
        case 0..<5:
            let action = liveness.wantsToSend(now: now)
            checker.saidToUse(action, now: now)
            guard action == .use else { break }
            liveness.sent()
            checker.isFresh = false
        case 5..<8:
            let action = liveness.received(now: now)
            checker.require((action == .answered) == checker.isAsked, "whatever comes is the answer to a PING")
            checker.isFresh = checker.isFresh || checker.isAsked
            checker.isAsked = false
            checker.lastHeard = now
        case 8:
            checker.require(liveness.ask() == !checker.isAsked, "one PING at a time")
            checker.isAsked = true
        case 9:
            liveness.streamAnswered()
            checker.deadlinesInARow = 0
        default:
            checker.deadlinesInARow += 1
            let isTheOne = checker.deadlinesInARow == Liveness.maximumDeadlines
            checker.require(liveness.deadlinePassed() == isTheOne, "the third deadline in a row, and no other")
        }
    }
}
