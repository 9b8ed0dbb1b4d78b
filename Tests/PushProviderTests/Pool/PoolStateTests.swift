import TestSupport
import Testing

@testable import PushProvider

@Suite struct PoolStateTests {
    var pool = PoolState(size: 2)

    private mutating func next(_ now: UInt64 = 1) -> PoolState.Action {
        pool.next(hasWork: true, now: .at(now))
    }

    @Test mutating func `nothing is opened before there is work`() {
        #expect(pool.next(hasWork: false, now: .at(1)) == .none)
        #expect(pool.isEmpty)
    }

    @Test mutating func `connections are opened one at a time, up to the number`() {
        #expect(next() == .connect(1))
        #expect(next() == .none)
        pool.opened(1)
        #expect(!pool.isFull)
        #expect(next() == .connect(2))
        pool.opened(2)
        #expect(pool.isFull)
        #expect(next() == .none)
    }

    @Test mutating func `one that leaves is replaced before it ends`() {
        #expect(next() == .connect(1))
        pool.opened(1)
        pool.stopsTaking(1)
        #expect(next() == .connect(2))
        #expect(pool.phases == [1: .leaving, 2: .opening])
    }

    @Test mutating func `after one that brought nothing, the next waits once`() {
        #expect(next() == .connect(1))
        pool.ended(1, use: .none, now: .at(1), chance: 1)
        let time = MonotonicTime.at(1).advanced(by: .milliseconds(50))
        #expect(next() == .wait(until: time))
        #expect(next(100) == .none)
        pool.waitIsOver()
        #expect(next(100) == .connect(2))
    }

    @Test mutating func `refused credentials stop everything once, for a while`() {
        #expect(next() == .connect(1))
        pool.opened(1)
        #expect(pool.credentialsRefused(now: .at(10)) == .stop)
        #expect(pool.credentialsRefused(now: .at(11)) == .none)
        pool.ended(1, use: .much, now: .at(12), chance: 1)
        #expect(next(69) == .none)
        #expect(pool.isHalted(now: .at(69)))
        #expect(!pool.isHalted(now: .at(70)))
        #expect(next(70) == .connect(2))
        #expect(pool.credentialsRefused(now: .at(71)) == .stop)
    }

    @Test mutating func `a key that does not fit one connection is given up when it does not fit a later one either`() {
        #expect(pool.keyRefused(on: 1, now: .at(1)) == .none)
        #expect(pool.keyRefused(on: 1, now: .at(1)) == .none)
        #expect(pool.keyRefused(on: 2, now: .at(2)) == .stop)
        #expect(pool.keyRefused(on: 2, now: .at(2)) == .none)
    }

    @Test func `the newest token refused stops a client that was never taken, and is one odd answer for others`() {
        var pool = PoolState(size: 1)
        let first = pool.newestTokenRefused(now: .at(1))
        #expect(first == .stop)
        #expect(pool.isHalted(now: .at(1)))
        var other = PoolState(size: 1)
        other.authenticated()
        let odd = other.newestTokenRefused(now: .at(1))
        #expect(odd == .none)
        // A stop begins anew.
        let stop = other.credentialsRefused(now: .at(2))
        #expect(stop == .stop)
        let again = other.newestTokenRefused(now: .at(100))
        #expect(again == .stop)
    }

    @Test mutating func `a key that fits a later connection is asked again`() {
        #expect(next() == .connect(1))
        #expect(pool.keyRefused(on: 1, now: .at(1)) == .none)
        pool.opened(1)
        #expect(next() == .connect(2))
        pool.ended(2, use: .little, now: .at(2), chance: 1)
        #expect(pool.keyRefused(on: 3, now: .at(3)) == .none)
    }

    // MARK: Ends

    private mutating func closed(
        _ connection: Int, _ failure: ConnectionFailure? = nil, use: ReconnectBackoff.ConnectionUse = .none,
        neverServed: Bool = true, retriesConnecting: Bool = true
    ) -> PoolState.CloseAction {
        pool.closed(
            connection, ConnectionEnding(failure: failure, neverServed: neverServed, use: use),
            retriesConnecting: retriesConnecting, now: .at(1), chance: 1)
    }

    private static func failure(isAboutCredentials: Bool = false, isPassing: Bool = true) -> ConnectionFailure {
        ConnectionFailure(
            phase: .tcp, description: "refused", isAboutCredentials: isAboutCredentials, isPassing: isPassing)
    }

    @Test mutating func `a connection that cannot be opened fails the queue if it is not tried again`() {
        _ = next()
        #expect(closed(1, Self.failure()) == .init(report: .failed(beforeOpening: true)))
        _ = pool.next(hasWork: true, now: .at(100))
        #expect(
            closed(2, Self.failure(), retriesConnecting: false)
                == .init(report: .failed(beforeOpening: true), failsQueue: true))
        pool.waitIsOver()
        _ = pool.next(hasWork: true, now: .at(200))
        #expect(
            closed(3, Self.failure(isPassing: false)) == .init(report: .failed(beforeOpening: true), failsQueue: true))
    }

    @Test mutating func `a failure loses nothing while another connection serves, and the pool does not grow`() {
        _ = next()
        pool.opened(1)
        _ = next()
        #expect(
            closed(2, Self.failure(isPassing: false))
                == .init(report: .failed(beforeOpening: true), isFailedGrowth: true))
    }

    @Test mutating func `a connection that the server closes at once counts as one that failed to open`() {
        _ = next()
        pool.opened(1)
        _ = next()
        pool.opened(2)
        #expect(closed(2) == .init(isFailedGrowth: true))
        _ = pool.next(hasWork: true, now: .at(100))
        pool.waitIsOver()
        _ = pool.next(hasWork: true, now: .at(100))
        pool.opened(3)
        #expect(closed(3, use: .little, neverServed: false) == .init())
    }

    @Test mutating func `one that has served ends, unless its end is about the credentials`() {
        _ = next()
        pool.opened(1)
        #expect(closed(1, Self.failure(), use: .much, neverServed: false) == .init(report: .ended))
        _ = next()
        pool.opened(2)
        #expect(
            closed(
                2, Self.failure(isAboutCredentials: true, isPassing: false), use: .much, neverServed: false)
                == .init(report: .failed(beforeOpening: false), failsQueue: true))
    }

    @Test mutating func `what is not here changes nothing`() {
        let before = pool
        pool.opened(7)
        pool.stopsTaking(7)
        pool.ended(7, use: .none, now: .at(1), chance: 1)
        #expect(pool == before)
    }

    // MARK: Long random runs

    /// Keeps its own books, and refuses what must never be.
    private struct Checker {
        var size: Int
        var phases: [Int: PoolState.Phase] = [:]
        var timer: MonotonicTime?
        var lastNumber = 0
        var complaints: [String] = []

        mutating func perform(_ action: PoolState.Action, _ pool: PoolState, hasWork: Bool, now: MonotonicTime) {
            switch action {
            case .connect(let number):
                require(hasWork, "connected without work")
                require(number == lastNumber + 1, "a number again or left out")
                require(!phases.values.contains(.opening), "two are opened at a time")
                require(phases.values.count { $0 == .serving } < size, "more than the number")
                require(pool.backoff.notBefore <= now, "before the pause is over")
                require(!pool.isHalted(now: now), "with refused credentials")
                require(timer == nil, "while a pause is waited for")
                lastNumber = number
                phases[number] = .opening
            case .wait(let time):
                require(timer == nil, "two timers")
                require(time > now, "a timer for the past")
                timer = time
            case .none:
                let isStuck =
                    hasWork && phases.values.allSatisfy { $0 == .leaving } && timer == nil && !pool.isHalted(now: now)
                require(!isStuck, "work, and nobody does anything")
            }
            require(phases.keys.sorted() == pool.phases.numbers, "the books differ")
            require(phases.allSatisfy { pool.phases[$0.key] == $0.value }, "the phases differ")
        }

        private mutating func require(_ holds: Bool, _ complaint: String) {
            if !holds { complaints.append(complaint) }
        }
    }

    @Test(arguments: 1...20) func `no run does what must never be, and work is never forgotten`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = Int.random(in: 1...4, using: &generator)
        var pool = PoolState(size: size)
        var checker = Checker(size: size)
        var now = MonotonicTime.at(1)
        var connected = 0
        for step in 0..<3_000 {
            now = now.advanced(by: .milliseconds(Int.random(in: 0...200, using: &generator)))
            if let timer = checker.timer, timer <= now {
                checker.timer = nil
                pool.waitIsOver()
            }
            let some = checker.phases.keys.sorted().randomElement(using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<35:
                if let some, checker.phases[some] == .opening {
                    pool.opened(some)
                    checker.phases[some] = .serving
                }
            case 35..<50:
                if let some {
                    pool.stopsTaking(some)
                    checker.phases[some] = .leaving
                }
            case 50..<75:
                if let some {
                    checker.phases[some] = nil
                    pool.ended(
                        some, use: [.none, .little, .much].randomElement(using: &generator) ?? .none, now: now,
                        chance: .random(in: 0...1, using: &generator))
                }
            case 75: _ = pool.credentialsRefused(now: now)
            default: break
            }
            let hasWork = !generator.oneIn(3)
            let action = pool.next(hasWork: hasWork, now: now)
            checker.perform(action, pool, hasWork: hasWork, now: now)
            if case .connect = action { connected += 1 }
            #expect(checker.complaints == [], "seed \(seed), step \(step)")
            if !checker.complaints.isEmpty { return }
        }
        #expect(connected > 20)
    }

    @Test mutating func `one that has served is missed until another takes its place`() {
        #expect(next() == .connect(1))
        let isSuccessor1 = pool.opened(1)
        #expect(!isSuccessor1)
        pool.stopsTaking(1, wasOfUse: true)
        #expect(next() == .connect(2))
        let isSuccessor2 = pool.opened(2)
        #expect(isSuccessor2)
        pool.ended(2, use: .much, neverServed: false, now: .at(1), chance: 0)
        #expect(next(1000) == .connect(3))
        let isSuccessor3 = pool.opened(3)
        #expect(isSuccessor3)
        #expect(next(1000) == .connect(4))
        let isSuccessor4 = pool.opened(4)
        #expect(!isSuccessor4)
    }

    @Test mutating func `one that was of no use, or is not to be replaced, is not missed`() {
        #expect(next() == .connect(1))
        pool.opened(1)
        pool.stopsTaking(1)
        #expect(next() == .connect(2))
        let isSuccessor2 = pool.opened(2)
        #expect(!isSuccessor2)
        #expect(next() == .connect(3))
        let isSuccessor3 = pool.opened(3)
        #expect(!isSuccessor3)
        pool.size = 1
        pool.stopsTaking(3, wasOfUse: true)
        let surplus = pool.takeSurplus()
        #expect(surplus.isEmpty)
        pool.size = 2
        #expect(next() == .connect(4))
        let isSuccessor4 = pool.opened(4)
        #expect(!isSuccessor4)
    }
}
