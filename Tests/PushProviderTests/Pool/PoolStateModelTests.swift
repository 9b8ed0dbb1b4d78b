import TestSupport
import Testing

@testable import PushProvider

/// Random sequences of happenings against a checker that refuses what a pool must never do.
@Suite struct PoolStateModelTests {
    struct Checker {
        let size: Int
        var opening: Set<Int> = []
        var serving: Set<Int> = []
        var leaving: Set<Int> = []
        var lastNumber = 0
        var haltedUntil: MonotonicTime?
        /// The earliest that the next connection may begin.
        var backoffEnds = MonotonicTime.at(0)
        /// The longest that it may be held back.
        var backoffLimit = MonotonicTime.at(0)
        var fruitless = 0
        var isWaiting = false
        var complaints: [String] = []

        var all: Set<Int> { opening.union(serving).union(leaving) }

        mutating func require(_ isFine: Bool, _ rule: String) {
            if !isFine { complaints.append(rule) }
        }

        func isHalted(_ now: MonotonicTime) -> Bool { haltedUntil.map { now < $0 } ?? false }

        mutating func decided(_ action: PoolState.Action, hasWork: Bool, now: MonotonicTime) {
            let mayBegin = hasWork && !isHalted(now) && opening.isEmpty && serving.count < size
            switch action {
            case .none:
                require(!mayBegin || isWaiting, "work that nobody takes gets a connection, or a time to ask again")
            case .connect(let number):
                require(hasWork, "no connection without work")
                require(!isHalted(now), "no connection while the credentials are refused")
                require(opening.isEmpty, "one connection is opened at a time")
                require(serving.count < size, "no more connections than there are to be")
                require(now >= backoffEnds, "no connection before the pause is over")
                require(number == lastNumber + 1, "numbers go up")
                lastNumber = number
                opening.insert(number)
            case .wait(let time):
                require(mayBegin && !isWaiting, "waits once, where it would connect")
                require(time > now, "waits for what is to come")
                require(time >= backoffEnds && time <= backoffLimit, "waits for the end of the pause")
                isWaiting = true
            }
        }

        mutating func ended(_ number: Int, use: ReconnectBackoff.ConnectionUse, now: MonotonicTime) {
            guard all.contains(number) else { return }
            opening.remove(number)
            serving.remove(number)
            leaving.remove(number)
            let first = Duration.milliseconds(50)
            let pause = use == .none ? min(first * (1 << min(fruitless, 16)), .seconds(5)) : first
            fruitless = use == .none ? fruitless + 1 : 0
            backoffEnds = now.advanced(by: use == .much ? .zero : pause / 2)
            backoffLimit = now.advanced(by: pause)
        }
    }

    /// One test and not thousands: their names alone would fill the log.
    @Test func `no sequence of happenings makes it do what it must not`() {
        for seed in 1...3_000 as ClosedRange<UInt64> where !Self.isFine(seed) { return }
    }

    /// - Returns: `false` when something was wrong: one seed is enough to look into.
    private static func isFine(_ seed: UInt64) -> Bool {
        var chance = SeededGenerator(seed: seed)
        let size = Int.random(in: 1...4, using: &chance)
        var pool = PoolState(size: size)
        var checker = Checker(size: size)
        var now = MonotonicTime.at(1)
        for _ in 0..<120 {
            step(&pool, &checker, &now, &chance)
            checker.require(Set(pool.phases.numbers) == checker.all, "it knows its connections")
            checker.require(pool.phases.count(.serving) <= size, "no more serve than there are to be")
            checker.require(pool.phases.count(.opening) <= 1, "one is opened at a time")
            checker.require(pool.isHalted(now: now) == checker.isHalted(now), "it halts as long as it has to")
        }
        #expect(checker.complaints.isEmpty, "seed \(seed)")
        return checker.complaints.isEmpty
    }

    private static func step(
        _ pool: inout PoolState, _ checker: inout Checker, _ now: inout MonotonicTime,
        _ chance: inout SeededGenerator
    ) {
        // Now and then one that is not there, or not any more.
        let somebody = (checker.all.randomElement(using: &chance) ?? 0) + (chance.oneIn(20) ? 1000 : 0)
        switch Int.random(in: 0..<24, using: &chance) {
        case 0..<10:
            let hasWork = !chance.oneIn(5)
            checker.decided(pool.next(hasWork: hasWork, now: now), hasWork: hasWork, now: now)
        case 10..<14:
            pool.opened(somebody)
            if checker.opening.remove(somebody) != nil { checker.serving.insert(somebody) }
        case 14..<16:
            pool.stopsTaking(somebody)
            if checker.all.contains(somebody) {
                checker.opening.remove(somebody)
                checker.serving.remove(somebody)
                checker.leaving.insert(somebody)
            }
        case 16..<20:
            let use: ReconnectBackoff.ConnectionUse = chance.oneIn(2) ? .none : chance.oneIn(2) ? .little : .much
            pool.ended(somebody, use: use, now: now, chance: .random(in: 0...1, using: &chance))
            checker.ended(somebody, use: use, now: now)
        case 20..<22:
            // The timer of a wait comes when its time has come.
            guard checker.isWaiting else { break }
            now = max(now, checker.backoffLimit)
            pool.waitIsOver()
            checker.isWaiting = false
        case 22: now = now.advanced(by: .milliseconds(Int.random(in: 0...8_000, using: &chance)))
        default:
            guard chance.oneIn(4) else { break }
            let isNews = !checker.isHalted(now)
            checker.require((pool.credentialsRefused(now: now) == .stop) == isNews, "the alarm is given once")
            if isNews { checker.haltedUntil = now.advanced(by: RefusalPause.duration) }
        }
    }
}
