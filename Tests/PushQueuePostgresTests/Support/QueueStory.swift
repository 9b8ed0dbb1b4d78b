import PushPlatform
import PushQueue
import QueueConformance
import Testing

@testable import PushQueuePostgres

/// Everything that a service does with a queue. What fails because the connection broke is done again, as a service does.
struct QueueStory {
    let queue: PostgresQueue
    let clock: ManualClock
    /// What is said about a failure.
    let about: String

    private let key = QueueIdempotencyKey("request", digest: [1])

    /// Tries a step until the connection holds.
    private func again<Value>(_ body: () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        for _ in 0..<5 {
            do { return try await body() } catch let error as QueueError where error.code == .unreachable {}
        }
        return try await body()
    }

    /// Takes everything through, and checks what is left at the end. `body` runs while the queue has jobs of each kind.
    func tell(during body: () async throws -> Void = {}) async throws {
        let ids = try await takeIn()
        try await jump(ids)
        let campaign = try await runCampaign()
        try await operate(ids)
        try await work()
        try await finishAll()
        try await check(ids, campaign)
        try await look(ids, campaign)
        try await body()
        try await cleanUp()
    }

    private func takeIn() async throws -> [UUID] {
        let shared = #"{"aps":{"alert":"\#(String(repeating: "x", count: 300))"}}"#
        let now = clock.now
        let samples: [NewQueueJob] = [
            .sample(0, payload: shared), .sample(1, payload: shared),
            .sample(2).with { ($0.dedupeKey, $0.olderDedupeKey) = ("order", "order:2") },
            .sample(3).with { $0.variables = Array("{}".utf8) },
            .sample(4).with { $0.due = .at(now + .seconds(60)) },
            .sample(5).with { $0.expiry = .after(.seconds(10)) },
            .sample(6), .sample(7), .sample(8), .sample(9),
        ]
        let jobs = samples.enumerated().map { number, job in
            job.with { $0.policy = number == 6 ? .atMostOnce : .atLeastOnce }
        }
        let request = EnqueueRequest(jobs, app: "shop", idempotency: key)
        let first = try await again { try await results(of: queue.enqueue(request)) }
        let second = try await again { try await results(of: queue.enqueue(request)) }
        #expect(first == second)
        let other = EnqueueRequest([jobs[2]], app: "shop")
        #expect(
            try await again { try await results(of: queue.enqueue(other)) } == [.duplicate(first[2].id ?? UUID())])
        // A job of an inbox, which has its id and its outcome already. After a lost answer it is found by its id.
        let refused = NewQueueJob.sample(20).with {
            $0.id = JobKey(row: now.milliseconds << 20 | 1, tag: 1).id
            $0.outcome = QueueJobOutcome(.notSent, reason: "invalid")
        }
        // A story can be told twice to one queue.
        let before = try await again { try await queue.counts()["inbox"]?.notSent ?? 0 }
        var moved = EnqueueRequest([refused], app: "inbox")
        moved.lastErasure = try await again { try await queue.lastErasure() }
        for _ in 0..<2 { _ = try await again { try await results(of: queue.enqueue(moved)) } }
        let notSent = try await again { try await queue.counts()["inbox"]?.notSent }
        #expect(notSent == before + 1)
        let given = QueueIdempotencyKey("given up", digest: [2])
        try await again {
            if case .reserved(let reservation) = try await queue.reserve(given, app: "shop", lasting: .seconds(60)) {
                try await queue.release(given, app: "shop", reservation: reservation)
            }
        }
        return first.compactMap(\.id)
    }

    private func results(of answer: EnqueueAnswer) throws -> [EnqueueResult] {
        switch answer {
        case .done(let results), .replayed(let results): return results
        case .conflict, .inProgress: throw Unexpected()
        }
    }

    /// The wall clock jumps, and what was counted from it moves with it, once.
    private func jump(_ ids: [UUID]) async throws {
        func expiries() async throws -> [QueueTime?] {
            try await again { try await queue.jobs([ids[5]], app: "shop").map(\.expires) }
        }
        let before = try await expiries()
        clock.jump(by: .seconds(3600))
        for _ in 0..<2 { try await again { try await queue.checkWriting() } }
        #expect(try await expiries() == before.map { $0.map { $0 + .seconds(3600) } }, "\(about)")
    }

    private func runCampaign() async throws -> UUID {
        var new = NewQueueCampaign("Sale", app: "shop")
        new.key = "sale"
        new.rate = .init(perSecond: 1000)
        let campaign = try await make(new)
        #expect(try await make(new).id == campaign.id)
        let refusal = QueueLineRefusal(code: "code", detail: "why")
        let lines = (1...4).map { QueueCampaignLine($0, $0 == 2 ? .refused(refusal) : .job(.sample(100 + $0))) }
        _ = try await again { try await queue.addLines(lines, to: campaign.id, app: "shop") }
        // A line that was refused is replaced.
        let corrected = [QueueCampaignLine(5, .refused(refusal)), QueueCampaignLine(5, .job(.sample(105)))]
        for line in corrected {
            _ = try await again { try await queue.addLines([line], to: campaign.id, app: "shop") }
        }
        for change in [QueueCampaignChange.start(closes: false), .pause, .resume] {
            _ = try await again { try await queue.changeCampaign(campaign.id, app: "shop", change) }
        }
        clock.advance(by: .seconds(1))
        #expect(try await again { try await queue.activeCampaigns().map(\.id) } == [campaign.id])
        for limit in [2, 100] {
            _ = try await again {
                try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 100, limit: limit)
            }
            // Lines that wait are held, and released again, the rest of them without a rate.
            for change in [QueueCampaignChange.pause, .resume, .rate(nil), .close] {
                _ = try await again { try await queue.changeCampaign(campaign.id, app: "shop", change) }
            }
        }
        _ = try await again { try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 100, limit: 100) }
        try await endCampaigns()
        return campaign.id
    }

    private func make(_ new: NewQueueCampaign) async throws -> QueueCampaign {
        switch try await again({ try await queue.createCampaign(new) }) {
        case .created(let made), .existing(let made): return made
        case .conflict, .inProgress, .tooMany: throw Unexpected()
        }
    }

    /// The lines of a campaign that is cancelled, and of one that expires, end without being sent.
    private func endCampaigns() async throws {
        for (index, name) in ["cancelled", "expired"].enumerated() {
            var new = NewQueueCampaign(name, app: "shop")
            new.key = name
            if index == 1 { new.expires = clock.now + .seconds(1) }
            let campaign = try await make(new)
            let lines = (1...2).map { QueueCampaignLine($0, .job(.sample(200 + 10 * index + $0))) }
            _ = try await again { try await queue.addLines(lines, to: campaign.id, app: "shop") }
            let changes: [QueueCampaignChange] =
                index == 1 ? [.start(closes: false)] : [.start(closes: true), .cancel]
            for change in changes {
                _ = try await again { try await queue.changeCampaign(campaign.id, app: "shop", change) }
            }
            clock.advance(by: .seconds(2))
            for limit in [1, 100] {
                _ = try await again {
                    try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 100, limit: limit)
                }
            }
            let ended = try await again { try await queue.campaign(campaign.id, app: "shop") }
            #expect(ended?.state.isEnd == true && ended?.counts.notSent == 2, "\(about): \(name)")
        }
    }

    private func operate(_ ids: [UUID]) async throws {
        _ = try await again { try await queue.cancel([ids[7]], app: "shop") }
        _ = try await again { try await queue.bury([ids[8]], app: "shop", detail: "by hand") }
        // One that isn't a dead letter stays as it is.
        for wish in [[ids[8]], [ids[8], ids[7]]] {
            _ = try await again { try await queue.redrive(wish, app: "shop", expiry: .never) }
        }
        try await again {
            try await queue.recordGone([GoneToken(NewQueueJob.token(77), since: clock.now)], app: "shop")
        }
        #expect(try await again { try await queue.gone(among: [NewQueueJob.token(77)], app: "shop").count } == 1)
        // A list in the order of commits waits for transactions that run, also for one whose connection is gone.
        while try await again({ try await queue.gone(app: "shop", after: nil, limit: 10).items.isEmpty }) {}
        try await again { try await queue.forgetGone([NewQueueJob.token(77)], app: "shop") }
        #expect(try await again { try await queue.gone(among: [NewQueueJob.token(77)], app: "shop").count } == 0)
        _ = try await again { try await queue.store([1], kind: "kind", key: "new", ifVersion: 0) }
        let first = try #require(try await again { try await queue.record(kind: "kind", key: "new") })
        _ = try await again { try await queue.store([2], kind: "kind", key: "new", ifVersion: first.version) }
        let second = try #require(try await again { try await queue.record(kind: "kind", key: "new") })
        #expect(second.value == [2] && second.version > first.version)
        for version in [first.version, second.version] {
            _ = try await again { try await queue.removeRecord(kind: "kind", key: "new", ifVersion: version) }
        }
        _ = try await again { try await queue.store([1], kind: "kind", key: "key", ifVersion: nil) }
        #expect(try await again { try await queue.record(kind: "kind", key: "key")?.value } == [1])
        #expect(try await again { try await queue.records(kind: "kind", after: nil, limit: 10).count } == 1)
        _ = try await again { try await queue.removeRecord(kind: "kind", key: "key", ifVersion: nil) }
        #expect(try await again { try await queue.record(kind: "kind", key: "key") } == nil)
    }

    /// Works on what is due. A worker whose connection broke knows only after the ends of the leases what it has.
    private func work() async throws {
        let jobs = try await again { try await queue.claim(3) }
        _ = try await again { try await queue.extend(jobs.map(\.lease), by: .seconds(30)) }
        _ = try await again { try await queue.giveBack(jobs.prefix(1).map(\.lease)) }
        _ = try await again { try await queue.start(jobs.dropFirst().map(\.lease)) }
        let retries = jobs.dropFirst().prefix(1).map { job in
            var retry = QueueJobRetry(job.lease, due: .after(.seconds(1)), reason: "busy")
            retry.mayHaveArrived = true
            return retry
        }
        _ = try await again { try await queue.retry(retries) }
        clock.advance(by: .seconds(100))
        _ = try await again { try await queue.expireOverdue(limit: 100) }
        _ = try await again { try await queue.recoverLeases() }
    }

    private func finishAll() async throws {
        for _ in 0..<10 {
            clock.advance(by: .seconds(100))
            _ = try await again { try await queue.recoverLeases() }
            _ = try await again { try await queue.expireOverdue(limit: 100) }
            let jobs = try await again { try await queue.claim() }
            // Each has a key of its own.
            let starts = jobs.map { QueueJobStart.sample($0.lease, Int($0.id.halves.1 >> 1)) }
            let started = try await again { try await queue.start(starts) }
            let mine = zip(jobs, started).filter { $0.1 == .done }.map(\.0)
            var gone = QueueJobOutcome(.rejected, reason: "Unregistered")
            gone.goneSince = clock.now
            let outcomes = [.accepted, QueueJobOutcome(.rejected, reason: "BadDeviceToken"), gone]
            let completions = mine.enumerated().map { QueueJobCompletion($1.lease, outcomes[$0 % 3]) }
            _ = try await again { try await queue.complete(completions) }
            if try await again({ try await queue.counts()["shop"]?.unfinished }) == 0 { return }
        }
        Issue.record("\(about): jobs are left: \(String(describing: try await queue.counts()["shop"]))")
    }

    /// Each job that was taken in has one outcome, and nothing else is there.
    private func check(_ ids: [UUID], _ campaign: UUID) async throws {
        let all = try await again { try await queue.list(.all, limit: 100) }
        // Those of the request, the dead letter that was put in again, and the lines of three campaigns.
        #expect(all.count == ids.count + 1 + 4 + 4 && Set(all).count == all.count)
        #expect(Set(all).isSuperset(of: ids))
        var page = try await again { try await queue.results(of: ["shop"], after: .start, limit: 1000) }
        while page.items.count < all.count {
            page = try await again { try await queue.results(of: ["shop"], after: .start, limit: 1000) }
        }
        #expect(page.items.count == all.count && Set(page.items.map(\.id)) == Set(all) && !page.hasGap)
        let counts = try #require(try await again { try await queue.counts()["shop"] })
        let kinds = page.items.map { $0.outcome?.kind }
        #expect(
            counts.accepted == kinds.count { $0 == .accepted } && counts.rejected == kinds.count { $0 == .rejected }
        )
        #expect(
            counts.unknown == kinds.count { $0 == .unknown } && counts.notSent == kinds.count { $0 == .notSent })
        #expect(counts.kept == all.count && counts.unfinished == 0 && counts.deadLetters == 0)
        let record = try #require(try await again { try await queue.campaign(campaign, app: "shop") })
        #expect(record.counts.finished == 4 && record.counts.refused == 1)
        let outcomes = try await again { try await queue.outcomes(ofCampaign: campaign, app: "shop") }
        #expect(outcomes.reduce(0) { $0 + $1.count } == 4)
        for state in [QueueJobState.held, .waiting, .leased, .started] {
            #expect(try await again { try await queue.list(.state(state)) } == [], "\(about): \(state)")
        }
        #expect(try await again { try await queue.list(.state(.finished)).count } == all.count)
        for kind in QueueJobOutcome.Kind.allCases {
            let list = try await again { try await queue.list(.outcome(kind)) }
            #expect(list.count == kinds.count { $0 == kind }, "\(about): \(kind)")
        }
        // The dead letter was put in again.
        #expect(try await again { try await queue.list(.deadLetters) } == [])
    }

    private func look(_ ids: [UUID], _ campaign: UUID) async throws {
        #expect(try await again { try await queue.jobs(ids, app: "shop").count } == ids.count)
        for id in ids { #expect(try await again { try await queue.history(of: id, app: "shop") } != nil) }
        #expect(try await again { try await queue.nextDue(of: ["shop"]) } == nil)
        let query = QueueCampaignLineQuery(campaign, app: "shop")
        #expect(try await again { try await queue.lines(query).count } == 5)
        let failures = QueueCampaignLineQuery(campaign, app: "shop", onlyFailures: true)
        #expect(try await again { try await queue.lines(failures).map(\.number) }.contains(2))
        #expect(try await again { try await queue.campaigns(app: "shop", after: nil, limit: 10).items.count } == 3)
        #expect(try await again { try await queue.resultsEnd() } > .start)
        #expect(try await again { try await queue.storageLoad() } != nil)
        try await again { try await queue.checkWriting() }
        try await observe(ids)
        var ofCampaign = QueueNewestQuery(of: ["shop"], limit: 100)
        ofCampaign.campaign = campaign
        let lines = ofCampaign
        #expect(try await again { try await queue.newest(lines).items.isEmpty } == false)
    }

    private func observe(_ ids: [UUID]) async throws {
        #expect(try await again { try await queue.contents(of: ids, app: "shop").count } == ids.count)
        for (kind, reason) in [(nil, nil), (QueueJobOutcome.Kind.notSent, nil), (nil, "expired")] {
            var query = QueueNewestQuery(of: ["shop"], limit: 100)
            (query.kind, query.reason) = (kind, reason)
            let newest = query
            #expect(try await again { try await queue.newest(newest).next } == nil)
        }
        for filter in [
            QueueJobQuery.Filter.target(.device(NewQueueJob.token(3))), .collapseID("none"), .dedupeKey("none"),
        ] {
            _ = try await again { try await queue.list(filter) }
        }
        #expect(try await !again { try await queue.tallies(of: ["shop"], .hour, since: .earliest) }.isEmpty)
        try await again { try await queue.note(QueueAuditEntry(app: "shop", content: [1])) }
        for apps in [nil, ["shop"]] {
            #expect(try await !again { try await queue.audit(of: apps, before: nil, limit: 10) }.isEmpty)
        }
    }

    private func cleanUp() async throws {
        _ = try await again { try await queue.erasePayloads(finishedBefore: .zero, limit: 100) }
        // The second one is a line of a campaign.
        for number in [3, 101] {
            _ = try await again { try await queue.purge(token: NewQueueJob.token(number), app: nil) }
        }
        clock.advance(by: .seconds(40 * 86400))
        _ = try await again { try await queue.dropKeys(limit: 100) }
        _ = try await again { try await queue.dropFinished(before: .seconds(86400), limit: 5) }
        _ = try await again { try await queue.dropCampaigns(endedBefore: .zero, limit: 100) }
        _ = try await again { try await queue.add([.sample(1)]) }
        var new = NewQueueCampaign("held", app: "shop")
        new.key = "held"
        let campaign = try await make(new)
        _ = try await again {
            try await queue.addLines([QueueCampaignLine(1, .job(.sample(301)))], to: campaign.id, app: "shop")
        }
        _ = try await again { try await queue.changeCampaign(campaign.id, app: "shop", .start(closes: true)) }
        _ = try await again { try await queue.cancelAll(app: "shop", limit: 100) }
        while try await again({ try await queue.purge(app: "shop", limit: 100) }) > 0 {}
        #expect(try await again { try await queue.list(.all) } == [])
        #expect(try await again { try await queue.counts()["shop"] } == nil)
    }
}
