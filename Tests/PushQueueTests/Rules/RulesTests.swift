import PushPlatform
import TestSupport
import Testing

@testable import PushQueue

struct JobKeyTests {
    @Test func `a key and its id are two forms of the same`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let key = JobKey(
                row: Int64.random(in: 0...Int64.max, using: &random),
                tag: Int64.random(in: 0..<(1 << 54), using: &random))
            #expect(JobKey(key.id) == key)
        }
        #expect(JobKey(UUID(0x0000_0000_0000_4000, 2 << 62)) == nil, "version 4")
        #expect(JobKey(UUID(0xFFFF_FFFF_FFFF_7000, 2 << 62)) == nil, "a time after 2109")
    }

    @Test func `the order of rows is the order of due times`() {
        var numbers = RowNumbers()
        let rows = [5, 6, 7].map { numbers.next(due: $0, random: .max - 1) }
        #expect(rows == rows.sorted())
        #expect(rows.map { $0 >> 20 } == [5, 6, 7])
    }

    @Test func `the latest time has numbers, too`() {
        var numbers = RowNumbers()
        let number = numbers.next(due: QueueTime.latest.milliseconds, collisions: 9, random: .max)
        #expect(number >> 20 >= QueueTime.latest.milliseconds)
        #expect(numbers.next(due: QueueTime.latest.milliseconds, random: 0) == number + 1)
    }

    @Test func `jobs that are due together are next to each other`() {
        var numbers = RowNumbers()
        let first = numbers.next(due: 5, random: 9)
        #expect(numbers.next(due: 5, random: 1000) == first + 1)
        #expect(numbers.next(due: 5, collisions: 1, random: 1000) == 5 << 20 + 1000)
    }
}

struct JobRulesTests {
    @Test func `from the third on, the loss of a worker counts and buries only if the job was alone`() {
        #expect(JobRules.countsLoss(lost: 1, isAlone: false) && JobRules.countsLoss(lost: 9, isAlone: true))
        // A lease of an older version may have many jobs with many losses.
        #expect(!JobRules.countsLoss(lost: 2, isAlone: false) && !JobRules.countsLoss(lost: 9, isAlone: false))
        let rules = JobRules(state: .leased, fence: 1, policy: .atMostOnce, isUncertain: false)
        #expect(rules.recovery(lost: 10, limit: 10, isAlone: true) == .buried)
        #expect(rules.recovery(lost: 10, limit: 10, isAlone: false) == .waiting)
        #expect(rules.recovery(lost: 9, limit: 10, isAlone: true) == .waiting)
    }

    private func rules(
        _ state: QueueJobState, _ policy: QueueDeliveryPolicy = .atLeastOnce, isUncertain: Bool = false
    ) -> JobRules {
        JobRules(state: state, fence: 1, policy: policy, isUncertain: isUncertain)
    }

    @Test func `the loss of a worker counts an attempt of an unstarted job, and makes a started one uncertain`() {
        let leased = rules(.leased).loss(lost: 0, limit: 3, isAlone: false)
        #expect(
            leased
                == JobRules.Loss(
                    detail: nil, attempts: 1, workers: 1, isUncertain: false, recovery: .waiting, outcome: nil))
        let started = rules(.started).loss(lost: 0, limit: 3, isAlone: false)
        #expect(
            started
                == JobRules.Loss(
                    detail: "started", attempts: 0, workers: 1, isUncertain: true, recovery: .waiting, outcome: nil))
        let once = rules(.started, .atMostOnce).loss(lost: 0, limit: 3, isAlone: false)
        #expect(once.outcome == QueueJobOutcome(.unknown, reason: QueueJobOutcome.workerLost) && !once.isUncertain)
        let buried = rules(.leased).loss(lost: 2, limit: 3, isAlone: true)
        #expect(buried.recovery == .buried && buried.outcome?.reason == QueueJobOutcome.buried)
        #expect(buried.outcome?.detail == "3 workers were lost while they had this job.")
        #expect(rules(.leased).loss(lost: 2, limit: 3, isAlone: false).workers == 0)
    }

    @Test func `a job is stopped until it is started, and its caller learns whether a try may have arrived`() {
        for state in [QueueJobState.waiting, .leased, .held] {
            #expect(rules(state).stop(recorded: nil) == .stopped)
            #expect(rules(state, isUncertain: true).stop(recorded: nil) == .stoppedUncertain)
        }
        #expect(rules(.started).stop(recorded: nil) == .started)
        #expect(rules(.finished).stop(recorded: .accepted) == .finished(.accepted))
    }

    @Test func `a job waits for its next try only if it does not expire before`() {
        let now = QueueTime(milliseconds: 1_000_000)
        let lease = QueueJobLease(id: UUID(0, 1), app: "shop", fence: 1)
        let soon = QueueJobRetry(lease, due: .after(.seconds(1)), reason: "busy")
        #expect(
            soon.wait(now: now, expires: 1_001_001)
                == .init(due: QueueTime(milliseconds: 1_001_000), isRelative: true))
        #expect(soon.wait(now: now, expires: 1_001_000) == nil)
        #expect(soon.expired == QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired, detail: "busy"))
        let far = QueueJobRetry(
            lease, due: .at(QueueTime(milliseconds: .max)), reason: "busy")
        #expect(far.wait(now: now, expires: .max) == .init(due: .latest, isRelative: false))
    }
}

struct CampaignRulesTests {
    private let maximum = QueueCampaign.maximumRefused
    private let maximumOfApp = QueueCampaign.maximumRefusedOfApp

    @Test func `a campaign may have as many refused lines as other ones, and a number of them in any case`() {
        func limit(_ refused: Int, _ campaign: (lines: Int, refused: Int)) -> QueueRefusalLimit? {
            CampaignRules.limit(exceededBy: refused, campaign: campaign, app: campaign)
        }
        #expect(limit(1, (0, maximum - 1)) == nil)
        #expect(limit(1, (0, maximum)) == .ofCampaign)
        #expect(limit(1, (maximum, maximum)) == .ofCampaign)
        #expect(limit(500, (maximum + 500, maximum)) == nil)
        #expect(limit(501, (maximum + 500, maximum)) == .ofCampaign)
        // A list of millions is not stopped by the number for its app.
        #expect(limit(1, (20 * maximum, 10 * maximum)) == nil)
    }

    @Test func `the campaigns of an app have a limit together`() {
        func limit(_ refused: Int, app: (lines: Int, refused: Int)) -> QueueRefusalLimit? {
            CampaignRules.limit(exceededBy: refused, campaign: (0, 0), app: app)
        }
        #expect(limit(1, app: (0, maximumOfApp - 1)) == nil)
        #expect(limit(1, app: (0, maximumOfApp)) == .ofApp)
        #expect(limit(1, app: (maximumOfApp + 1, maximumOfApp)) == nil)
    }
}

struct RecentNumbersTests {
    @Test func `the last keys are remembered, and the oldest goes first`() {
        var recent = RecentNumbers<String>(maximum: 3)
        for (number, key) in ["a", "b", "c", "d"].enumerated() { recent.add(Int64(number), for: key) }
        #expect(["a", "b", "c", "d"].map { recent[$0] } == [nil, 1, 2, 3])
        recent.add(9, for: "c")
        recent.add(5, for: "e")
        #expect(["b", "c", "d", "e"].map { recent[$0] } == [nil, 9, 3, 5])
        recent.removeAll()
        #expect(recent["e"] == nil)
        recent.add(1, for: "a")
        #expect(recent["a"] == 1)
    }
}

struct FairSharesTests {
    private func divide(_ limit: Int, _ apps: [(Int64, Int)], has: [Int64: Int], turn: Int64 = 0) -> [Int64: Int] {
        var shares = FairShares(limit: limit, apps: apps, turn: turn)
        var (left, got) = (has, [Int64: Int]())
        while let (app, count) = shares.next() {
            let taken = min(count, left[app] ?? 0)
            left[app, default: 0] -= taken
            got[app, default: 0] += taken
            shares.received(taken, of: count)
        }
        return got.filter { $0.value > 0 }
    }

    @Test func `all apps get the same, and what one does not need goes to the others`() {
        let apps: [(Int64, Int)] = [(1, 100), (2, 100), (3, 100)]
        #expect(divide(30, apps, has: [1: 100, 2: 100, 3: 100]) == [1: 10, 2: 10, 3: 10])
        #expect(divide(30, apps, has: [1: 100, 2: 1, 3: 100]).values.sorted() == [1, 14, 15])
        #expect(divide(30, apps, has: [1: 100]) == [1: 30])
        #expect(divide(30, [(1, 4), (2, 100)], has: [1: 9, 2: 9]) == [1: 4, 2: 9])
    }

    @Test func `nothing is divided without apps or jobs`() {
        #expect(divide(5, [], has: [:]).isEmpty)
        #expect(divide(0, [(1, 9)], has: [1: 9]).isEmpty)
        #expect(divide(5, [(1, 0)], has: [1: 9]).isEmpty)
    }

    @Test func `each app is the first now and then`() {
        let apps: [(Int64, Int)] = [(1, 9), (2, 9), (3, 9)]
        let firsts = (0..<3).map { divide(1, apps, has: [1: 9, 2: 9, 3: 9], turn: $0) }
        #expect(Set(firsts.flatMap(\.keys)) == [1, 2, 3])
    }
}

struct StoredAnswerTests {
    @Test func `results are read as they were written, and other bytes are refused`() {
        let results: [EnqueueResult] =
            [.queued(UUID()), .duplicate(UUID()), .stored(UUID()), .omitted]
            + EnqueueResult.Refusal.allCases.map { .invalid($0) }
        let bytes = StoredAnswer.bytes(of: results)
        #expect(StoredAnswer.results(of: bytes) == results)
        #expect(StoredAnswer.results(of: Array(bytes.dropLast())) == nil)
        #expect(StoredAnswer.results(of: [9] + bytes.dropFirst()) == nil)
        #expect(StoredAnswer.results(of: []) == [])
    }
}

struct QueueTimeTests {
    @Test func `a time never leaves its range`() {
        #expect(QueueTime.latest + .seconds(1) == .latest)
        #expect(QueueTime.latest + .seconds(Int64.max) == .latest)
        #expect(QueueTime.earliest + .seconds(-1) == .earliest)
        #expect(QueueTime(Date(timeIntervalSince1970: .infinity)) == .latest)
        #expect(QueueTime(Date(timeIntervalSince1970: -5)) == .earliest)
        #expect(QueueTime(Date(timeIntervalSince1970: 1.5)).milliseconds == 1500)
        #expect(!QueueTime(milliseconds: -1).isInRange)
    }
}

/// Values that are stored by their numbers and shown by their names.
struct NamedCaseTests {
    @Test func `each number of a value has the name of its place`() {
        check(QueueJobState.self)
        check(QueueJobOutcome.Kind.self)
        check(QueueCampaignState.self)
        check(QueuePriority.self)
    }

    private func check<Value: NamedCase & Equatable>(_ type: Value.Type) {
        #expect(Value.allCases.map(\.rawValue) == Array(Value.names.indices), "\(type)")
        #expect(Value.allCases.allSatisfy { Value(name: $0.name) == $0 }, "\(type)")
    }
}
