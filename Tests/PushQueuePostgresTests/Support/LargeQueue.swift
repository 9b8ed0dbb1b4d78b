import PushPlatform
import PushQueue
import QueueConformance
import Testing

@testable import PushQueuePostgres

/// Fills a queue with jobs of each kind, then calls each function of the queue for a few of them.
struct LargeQueue {
    let queue: PostgresQueue
    let clock: ManualClock
    /// The number of jobs in one call.
    let batch: Int
    /// How many jobs of each kind there are.
    let jobs: Int

    func use() async throws {
        let finished = try await fill(from: 0)
        try await finish(finished.count)
        let dead = try await fill(from: jobs)
        for ids in slices(of: dead) { _ = try await queue.bury(ids, app: "shop", detail: "by hand") }
        try await fillTables()
        let campaign = try await fillCampaign()
        let waiting = try await fill(from: 2 * jobs)
        try await work()
        try await look([finished, dead, waiting], campaign)
        clock.advance(by: .seconds(100))
        _ = try await queue.recoverLeases()
        try await operate(waiting, dead, campaign)
        try await cleanUp()
        try await endCampaign(campaign)
    }

    private func slices<Element>(of all: [Element]) -> [[Element]] {
        stride(from: 0, to: all.count, by: batch).map { Array(all[$0..<min($0 + batch, all.count)]) }
    }

    private func fill(from first: Int) async throws -> [UUID] {
        var ids: [UUID] = []
        for numbers in slices(of: Array(first..<first + jobs)) {
            let new = numbers.map { number in
                NewQueueJob.sample(number).with {
                    $0.dedupeKey = "\(number)"
                    if number.isMultiple(of: 2) { $0.expiry = .after(.seconds(1_000_000)) }
                    if number == 1 { $0.push = Array(#"{"collapse_id":"large"}"#.utf8) }
                }
            }
            let key = QueueIdempotencyKey("request \(numbers[0])", digest: [1])
            guard
                case .done(let results) = try await queue.enqueue(
                    EnqueueRequest(new, app: "shop", idempotency: key))
            else { throw Unexpected() }
            ids += results.compactMap(\.id)
        }
        return ids
    }

    private func finish(_ count: Int) async throws {
        let outcomes: [QueueJobOutcome] = [
            .accepted, QueueJobOutcome(.rejected, reason: "BadDeviceToken"),
            QueueJobOutcome(.unknown, reason: "connection_lost"),
        ]
        var done = 0
        while done < count {
            let claimed = try await queue.claim(batch)
            guard !claimed.isEmpty else { throw Unexpected() }
            let starts = claimed.enumerated().map { QueueJobStart.sample($1.lease, done + $0) }
            #expect(try await queue.start(starts).allSatisfy { $0 == .done })
            _ = try await queue.complete(
                claimed.enumerated().map { QueueJobCompletion($1.lease, outcomes[$0 % 3]) })
            done += claimed.count
        }
    }

    private func fillTables() async throws {
        for numbers in slices(of: Array(0..<jobs)) {
            try await queue.recordGone(
                numbers.map { GoneToken(NewQueueJob.token($0), since: clock.now) }, app: "shop")
        }
        for number in 0..<batch {
            _ = try await queue.store([1], kind: "kind", key: "\(number)", ifVersion: nil)
        }
    }

    private func fillCampaign() async throws -> UUID {
        var new = NewQueueCampaign("Sale", app: "shop")
        new.key = "large"
        guard case .created(let campaign) = try await queue.createCampaign(new) else { throw Unexpected() }
        let refusal = QueueLineRefusal(code: "code", detail: "why")
        for numbers in slices(of: Array(1...jobs)) {
            let lines = numbers.map {
                QueueCampaignLine($0, $0.isMultiple(of: 10) ? .refused(refusal) : .job(.sample(3 * jobs + $0)))
            }
            _ = try await queue.addLines(lines, to: campaign.id, app: "shop")
        }
        for change in [QueueCampaignChange.start(closes: true), .pause, .resume] {
            _ = try await queue.changeCampaign(campaign.id, app: "shop", change)
        }
        for _ in 0..<3 {
            _ = try await queue.advanceCampaign(campaign.id, app: "shop", ahead: jobs, limit: batch)
        }
        return campaign.id
    }

    private func work() async throws {
        for _ in 0..<3 {
            let claimed = try await queue.claim(batch)
            _ = try await queue.extend(claimed.map(\.lease), by: .seconds(30))
            _ = try await queue.giveBack(claimed.prefix(20).map(\.lease))
            let started = claimed.dropFirst(20)
            // Each pair replaces each other, and pushes of before.
            _ = try await queue.start(started.enumerated().map { .sample($1.lease, $0 / 2) })
            _ = try await queue.retry(
                started.prefix(20).map { QueueJobRetry($0.lease, due: .after(.seconds(1)), reason: "busy") })
            _ = try await queue.complete(
                started.dropFirst(20).prefix(20).map { QueueJobCompletion($0.lease, .accepted) })
        }
        #expect(try await queue.claim(batch).count == batch)
    }

    private func look(_ all: [[UUID]], _ campaign: UUID) async throws {
        for ids in all {
            let some = Array(ids.shuffled().prefix(batch))
            #expect(try await queue.jobs(some, app: "shop").count == some.count)
            #expect(try await queue.history(of: some[0], app: "shop") != nil)
        }
        let states = [QueueJobState.held, .waiting, .leased, .started, .finished].map {
            QueueJobQuery.Filter.state($0)
        }
        let kinds = [QueueJobOutcome.Kind.accepted, .rejected, .unknown, .notSent].map {
            QueueJobQuery.Filter.outcome($0)
        }
        for filter in states + kinds + [.all, .deadLetters] {
            var query = QueueJobQuery(app: "shop", filter: filter, limit: batch)
            var ids: [UUID] = []
            for _ in 0..<3 {
                let page = try await queue.jobs(query)
                ids += page.items.map(\.id)
                query.after = page.next
                if page.next == nil { break }
            }
            #expect(!ids.isEmpty && Set(ids).count == ids.count, "\(filter)")
        }
        var (cursor, read) = (QueueResultCursor.start, 0)
        for _ in 0..<5 {
            let page = try await queue.results(of: ["shop"], after: cursor, limit: batch)
            (cursor, read) = (page.next, read + page.items.count)
        }
        #expect(read == 5 * batch)
        #expect(try await queue.nextDue(of: ["shop"]) != nil)
        #expect(try await queue.activeCampaigns().count == 1)
        for after in [0, jobs / 2] {
            var query = QueueCampaignLineQuery(campaign, app: "shop")
            (query.after, query.limit) = (after, batch)
            #expect(try await queue.lines(query).count == batch)
        }
        _ = try await queue.outcomes(ofCampaign: campaign, app: "shop")
        _ = try await queue.campaigns(app: "shop", after: nil, limit: batch)
        let gone = (0..<batch).map { NewQueueJob.token($0) }
        #expect(try await queue.gone(among: gone, app: "shop").count == batch)
        _ = try await queue.gone(app: "shop", after: nil, limit: batch)
        _ = try await queue.records(kind: "kind", after: nil, limit: batch)
        try await observe(all)
    }

    /// Looks at what operators look at.
    private func observe(_ all: [[UUID]]) async throws {
        for filter in [
            QueueJobQuery.Filter.target(.device(NewQueueJob.token(3))), .collapseID("large"), .dedupeKey("\(jobs)"),
        ] {
            #expect(
                try await queue.jobs(QueueJobQuery(app: "shop", filter: filter, limit: 10)).items.count == 1,
                "\(filter)")
        }
        var query = QueueJobQuery(app: "shop", filter: .state(.waiting), limit: batch)
        query.dueBefore = clock.now + .seconds(1000)
        #expect(try await queue.jobs(query).items.count == batch)
        for ids in all {
            let contents = try await queue.contents(of: Array(ids.prefix(batch)), app: "shop")
            #expect(contents.count == batch)
        }
        for (kind, reason) in [
            (nil, nil), (QueueJobOutcome.Kind.accepted, nil), (.rejected, nil), (nil, "BadDeviceToken"),
            (.rejected, "BadDeviceToken"),
        ] {
            var query = QueueNewestQuery(of: ["shop"], limit: batch)
            (query.kind, query.reason) = (kind, reason)
            let page = try await queue.newest(query)
            // The newest outcomes are those of dead letters, and only so many are read for accepted ones.
            #expect(page.next != nil && (kind == .accepted || page.items.count == batch))
        }
        if let campaign = try await queue.campaigns(app: "shop", after: nil, limit: 1).items.first {
            var query = QueueNewestQuery(of: ["shop"], limit: batch)
            query.campaign = campaign.id
            _ = try await queue.newest(query)
        }
        for span in QueueTallySpan.allCases {
            #expect(try await !queue.tallies(of: ["shop"], span, since: clock.now + .seconds(-3600)).isEmpty)
        }
        for number in 0..<batch { try await queue.note(QueueAuditEntry(app: "shop", content: [UInt8(number % 256)])) }
        #expect(try await queue.audit(of: ["shop"], before: nil, limit: batch).count == batch)
        #expect(try await queue.audit(of: nil, before: nil, limit: batch).count == batch)
    }

    private func operate(_ waiting: [UUID], _ dead: [UUID], _ campaign: UUID) async throws {
        let some = Array(waiting.suffix(2 * batch))
        _ = try await queue.cancel(Array(some.prefix(batch)), app: "shop")
        _ = try await queue.bury(Array(some.suffix(batch)), app: "shop", detail: "by hand")
        _ = try await queue.redrive(Array(dead.prefix(batch)), app: "shop", expiry: .never)
        try await queue.forgetGone((0..<batch).map { NewQueueJob.token($0) }, app: "shop")
        _ = try await queue.changeCampaign(campaign, app: "shop", .rate(.init(perSecond: 10)))
    }

    private func cleanUp() async throws {
        // The second one is a line of the campaign.
        for number in [jobs / 2, 3 * jobs + 1] {
            _ = try await queue.purge(token: NewQueueJob.token(number), app: "shop")
        }
        _ = try await queue.cancelAll(app: "shop", limit: batch)
        clock.advance(by: .seconds(2_000_000))
        for _ in 0..<3 {
            _ = try await queue.expireOverdue(limit: batch)
            _ = try await queue.erasePayloads(finishedBefore: .zero, limit: batch)
            _ = try await queue.dropFinished(before: .seconds(86400), limit: batch)
            _ = try await queue.dropKeys(limit: batch)
            _ = try await queue.dropCampaigns(endedBefore: .zero, limit: batch)
        }
    }

    /// Ends the campaign, drops it in slices, and then erases what is left of the app.
    private func endCampaign(_ campaign: UUID) async throws {
        _ = try await queue.changeCampaign(campaign, app: "shop", .cancel)
        while try await queue.activeCampaigns().count > 0 {
            try Task.checkCancellation()
            _ = try await queue.advanceCampaign(campaign, app: "shop", ahead: jobs, limit: batch)
        }
        clock.advance(by: .seconds(86400))
        for _ in 0..<3 {
            #expect(try await queue.dropCampaigns(endedBefore: .zero, limit: batch) > 0)
        }
        while try await queue.purge(app: "shop", limit: batch) > 0 {}
        #expect(try await queue.counts()["shop"] == nil)
    }
}
