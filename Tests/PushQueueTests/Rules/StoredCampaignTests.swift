import PushPlatform
import Testing

@testable import PushQueue

struct StoredCampaignTests {
    private let now = QueueTime(milliseconds: 1_000_000)
    private let steady = SteadyTime(milliseconds: 500_000)

    private func campaign(
        _ state: QueueCampaignState, rate: Int? = nil, starts: Int64? = nil, expires: Int64? = nil,
        bucket: ReleaseBucket? = nil
    ) -> StoredCampaign<Int64> {
        StoredCampaign(
            row: 1, app: 2, state: state.rawValue, isOpen: true, rate: rate,
            starts: starts.map { QueueTime(milliseconds: $0) }, expires: expires.map { QueueTime(milliseconds: $0) },
            bucket: bucket ?? ReleaseBucket(at: steady))
    }

    @Test func `a change writes only what is not so already`() {
        let run = StoredCampaign<Int64>.Write.run(ReleaseBucket(at: steady))
        func writes(
            _ change: QueueCampaignChange, _ state: QueueCampaignState
        ) -> [StoredCampaign<Int64>.Write] { campaign(state).writes(for: change, at: steady) }
        #expect(writes(.start(closes: true), .draft) == [run, .close])
        #expect(writes(.start(closes: false), .running) == [])
        #expect(writes(.close, .draft) == [.close])
        var closed = campaign(.running)
        closed.isOpen = false
        #expect(closed.writes(for: .start(closes: true), at: steady) == [])
        #expect(closed.writes(for: .close, at: steady) == [])
        #expect(writes(.pause, .running) == [.pause] && writes(.pause, .paused) == [])
        #expect(writes(.resume, .paused) == [run] && writes(.resume, .running) == [])
        #expect(writes(.cancel, .paused) == [.cancel] && writes(.cancel, .cancelled) == [])
    }

    @Test func `a new rate keeps what the old one has filled, and without one the bucket starts empty`() {
        let before = ReleaseBucket(at: SteadyTime(milliseconds: steady.milliseconds - 100))
        var filled = before
        if let rate = QueueCampaignRate(perThousandSeconds: 10_000) { filled.fill(rate: rate, at: steady) }
        let limited = campaign(.running, rate: 10_000, bucket: before)
        #expect(limited.writes(for: .rate(nil), at: steady) == [.rate(nil, filled)])
        #expect(filled.level > 0)
        let unlimited = campaign(.running, bucket: before)
        #expect(unlimited.writes(for: .rate(nil), at: steady) == [.rate(nil, ReleaseBucket(at: steady))])
    }

    @Test func `the next step of a campaign depends on its state, its start and its end`() {
        for state in [QueueCampaignState.draft, .cancelled, .finished] {
            #expect(campaign(state, expires: 1).advance(at: now) == .nothing)
        }
        #expect(campaign(.cancelling, expires: 1).advance(at: now) == .cancel)
        #expect(campaign(.running).advance(at: now) == .release && campaign(.paused).advance(at: now) == .nothing)
        #expect(campaign(.running, starts: 1_000_001).advance(at: now) == .nothing)
        #expect(campaign(.running, starts: 1_000_000).advance(at: now) == .release)
        #expect(campaign(.running, expires: 1_000_000).advance(at: now) == .expire)
        #expect(campaign(.paused, expires: 1_000_000).advance(at: now) == .expire)
        #expect(campaign(.running, expires: 1_000_001).advance(at: now) == .release)
    }

    @Test func `lines are released within the limit, the rate, and the number that may be ahead`() {
        var free = campaign(.running)
        free.released = 10
        var step = CampaignStep()
        (step.counts.waiting, step.counts.inFlight) = (3, 2)
        #expect(free.releasable(limit: 100, ahead: 50, pending: nil, at: steady) == 40)
        #expect(free.releasable(limit: 100, ahead: 50, pending: step, at: steady) == 35)
        #expect(free.releasable(limit: 7, ahead: 50, pending: step, at: steady) == 7)
        // 20 lines a second: four of them after a fifth of a second, and at most 40 ahead.
        var limited = campaign(
            .running, rate: 20_000,
            bucket: ReleaseBucket(at: SteadyTime(milliseconds: steady.milliseconds - 10_000)))
        #expect(limited.releasable(limit: 100, ahead: 1000, pending: nil, at: steady) == 4)
        #expect(limited.bucket.time == steady)
        limited.released = 40
        #expect(limited.releasable(limit: 100, ahead: 1000, pending: nil, at: steady) == 0)
    }

    @Test func `a line ends with its campaign, unless its time begins with the release`() {
        let limited = campaign(.running, expires: 2_000_000)
        let own = EnqueueRules.Times(due: now, expires: QueueTime(milliseconds: 3_000_000), isDueRelative: true)
        #expect(limited.times(of: own).expires == limited.expires)
        var never = own
        never.expires = nil
        #expect(limited.times(of: never).expires == limited.expires)
        var relative = own
        relative.isExpiryRelative = true
        #expect(limited.times(of: relative) == relative && campaign(.running).times(of: own) == own)
    }

    @Test func `the time of a line begins when it is released for the first time`() {
        func released(_ attempts: Int, isRelative: Bool = true, expires: Int64 = 800_000, end: Int64? = nil) -> [Int64]?
        {
            HeldLineTimes(
                due: QueueTime(milliseconds: 700_000), expires: expires, isExpiryRelative: isRelative,
                attempts: attempts
            ).released(at: now, end: end.map { QueueTime(milliseconds: $0) }).map { [$0.due.milliseconds, $0.expires] }
        }
        #expect(released(0) == [1_000_000, 1_100_000])
        #expect(released(0, end: 1_050_000) == [1_000_000, 1_050_000] && released(0, end: 1_000_000) == nil)
        // A line that was tried keeps its end, which has passed.
        #expect(released(1) == nil && released(1, expires: 1_000_001) == [1_000_000, 1_000_001])
        #expect(released(0, isRelative: false) == nil)
    }
}

struct QueueClaimRequestTests {
    private func job(_ app: Int64, _ number: UInt64) -> ClaimedQueueJob {
        ClaimedQueueJob(
            lease: QueueJobLease(id: UUID(0, number), app: "\(app)", fence: 1), target: .device("token"),
            queued: .earliest, due: .earliest)
    }

    private func claim(limit: Int, suspectsOf app: Int64?) throws -> (jobs: [ClaimedQueueJob], calls: [[Int64]]) {
        var calls: [[Int64]] = []
        let request = QueueClaimRequest(owner: "w", limit: limit, lease: .seconds(60), apps: [:])
        let jobs = try request.jobs(of: [(1, 10), (2, 10)], turn: 0) { (number, count, seeksSuspect) in
            calls.append([number, Int64(count), seeksSuspect ? 1 : 0])
            if seeksSuspect { return number == app ? [job(number, 99)] : [] }
            return (0..<min(count, 3)).map { job(number, UInt64($0)) }
        }
        return (jobs, calls)
    }

    @Test func `a suspect is claimed alone`() throws {
        let (jobs, calls) = try claim(limit: 8, suspectsOf: 2)
        #expect(jobs.count == 1 && jobs.first?.isSuspect == true)
        #expect(calls == [[1, 1, 1], [2, 1, 1]])
    }

    @Test func `without a suspect, apps get their shares, and a claim of nothing asks nothing`() throws {
        let (jobs, calls) = try claim(limit: 8, suspectsOf: nil)
        #expect(jobs.count == 6 && !jobs.contains(where: \.isSuspect))
        #expect(calls.filter { $0[2] == 0 } == [[1, 4, 0], [2, 4, 0]])
        #expect(try claim(limit: 0, suspectsOf: 2).calls == [])
    }
}
