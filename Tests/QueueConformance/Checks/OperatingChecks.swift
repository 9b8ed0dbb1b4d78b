import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let operating: [QueueConformance] = [
        .init("what has not been started can be cancelled, and is then not sent") { queue, _ in
            let ids = try await queue.add((0..<4).map { .sample($0) })
            let jobs = try await queue.claim(3)
            #expect(jobs.map(\.id).count == 3)
            let (first, second, third) = (jobs[0], jobs[1], jobs[2])
            _ = try await queue.start([first.lease, second.lease])
            _ = try await queue.complete(second, .accepted)
            let waiting = try #require(ids.first { id in !jobs.contains { $0.id == id } })
            let all = [waiting, first.id, second.id, third.id, UUID()]
            #expect(
                try await queue.cancel(all, app: "shop")
                    == [.stopped, .started, .finished(.accepted), .stopped, .unknownJob])
            #expect(try await queue.start([third.lease]) == [.finished])
            #expect(try await queue.job(waiting)?.outcome == QueueJobOutcome(.notSent, reason: "cancelled"))
            #expect(try await queue.cancel([first.id], app: "bank") == [.unknownJob])
        },
        .init("a cancelled job that may have arrived is unknown, and the answer says so") { queue, _ in
            let job = NewQueueJob.sample().with { $0.policy = .atLeastOnce }
            let ids = try await queue.add([job, job])
            for claimed in try await queue.startAll() {
                var retry = QueueJobRetry(claimed.lease, due: .after(.zero), reason: "reset")
                retry.mayHaveArrived = true
                #expect(try await queue.retry([retry]) == [.done])
            }
            #expect(try await queue.cancel([ids[0]], app: "shop") == [.stoppedUncertain])
            #expect(try await queue.job(ids[0])?.outcome == QueueJobOutcome(.unknown, reason: "cancelled"))
            #expect(try await queue.bury([ids[1]], app: "shop", detail: "why") == [.stoppedUncertain])
            #expect(try await queue.cancel(ids, app: "shop") == [.finished(.unknown), .finished(.unknown)])
        },
        .init("the waiting jobs of an app are cancelled in slices") { queue, _ in
            _ = try await queue.add((0..<5).map { .sample($0) })
            _ = try await queue.add([.sample()], app: "bank")
            #expect(try await queue.cancelAll(app: "shop", limit: 3).notSent == 3)
            #expect(try await queue.cancelAll(app: "shop", limit: 3).notSent == 2)
            #expect(try await queue.cancelAll(app: "none", limit: 3) == QueueCancelled())
            #expect(try await queue.counts()["shop"]?.notSent == 5)
            #expect(try await queue.counts()["bank"]?.waiting == 1)
        },
        .init("jobs that may have arrived are cancelled with the others of their app, and counted as unknown") {
            queue, _ in try await cancelUncertain(queue)
        },
        .init("a dead letter is sent again once, as another job") { queue, _ in
            let ids = try await queue.add([.sample(1), .sample(2)])
            #expect(try await queue.bury([ids[0]], app: "shop", detail: "why") == [.stopped])
            #expect(try await queue.job(ids[0])?.outcome == QueueJobOutcome(.notSent, reason: "buried", detail: "why"))
            #expect(try await queue.counts()["shop"]?.deadLetters == 1)
            let results = try await queue.redrive([ids[0], ids[1], UUID()], app: "shop", expiry: .after(.seconds(9)))
            guard case .queued(let new) = results[0] else { throw Unexpected() }
            #expect(Array(results[1...]) == [.notBuried, .unknownJob])
            #expect(try await queue.redrive([ids[0]], app: "shop", expiry: .never) == [.redriven(new)])
            #expect(try await queue.job(ids[0])?.redrivenAs == new)
            #expect(try await queue.counts()["shop"]?.deadLetters == 0)
            #expect(try await queue.list(.deadLetters).isEmpty)
            let claimed = try #require(try await queue.claim().first { $0.id == new })
            #expect(claimed.payload == NewQueueJob.sample(1).payload && claimed.target == NewQueueJob.sample(1).target)
            #expect(claimed.expires != nil)
            let history = try #require(try await queue.history(of: new, app: "shop"))
            #expect(history.last == QueueJobEvent(.redriven, at: claimed.due, detail: ids[0].uuidString.lowercased()))
        },
        .init("a dead letter keeps a delivery time that lies ahead, and its new expiry counts from then on") {
            queue, clock in
            let now = clock.now
            let later = now + .seconds(3600)
            let ids = try await queue.add([.sample(1).with { $0.due = .at(later) }, .sample(2), .sample(3)])
            // A retry's time is no delivery time.
            let tried = try #require(try await queue.claim().first)
            _ = try await queue.start([tried.lease])
            _ = try await queue.retry([QueueJobRetry(tried.lease, due: .after(.seconds(600)), reason: "reset")])
            #expect(try await queue.bury(ids, app: "shop", detail: "why").allSatisfy { $0 == .stopped })
            let results = try await queue.redrive(ids, app: "shop", expiry: .after(.seconds(60)))
            let new = results.compactMap { if case .queued(let id) = $0 { id } else { nil } }
            let jobs = try await queue.jobs(new, app: "shop")
            #expect(jobs.map(\.due) == [later, now, now])
            #expect(jobs.map(\.expires) == [later + .seconds(60), now + .seconds(60), now + .seconds(60)])
            #expect(
                try await queue.claim().map(\.id).sorted { $0.uuidString < $1.uuidString }
                    == Array(new[1...]).sorted { $0.uuidString < $1.uuidString })
            // What would expire before its delivery time is refused, as a new job is.
            #expect(try await queue.bury([new[0]], app: "shop", detail: "why") == [.stopped])
            for time in [now + .seconds(9), later] {
                await #expect {
                    try await queue.redrive([new[0]], app: "shop", expiry: .at(time))
                } throws: {
                    ($0 as? QueueError)?.code == .invalid
                }
            }
            #expect(try await queue.job(new[0])?.redrivenAs == nil)
        },
        .init("a buried line keeps the start of its campaign") { queue, clock in
            let starts = clock.now + .seconds(3600)
            var wish = NewQueueCampaign("sale", app: "shop")
            wish.starts = starts
            guard case .created(let campaign) = try await queue.createCampaign(wish) else { throw Unexpected() }
            _ = try await queue.addLines([QueueCampaignLine(1, .job(.sample(1)))], to: campaign.id, app: "shop")
            _ = try await queue.changeCampaign(campaign.id, app: "shop", .start(closes: true))
            let line = try #require(try await queue.list(.all).first)
            #expect(try await queue.bury([line], app: "shop", detail: "why") == [.stopped])
            guard case .queued(let new)? = try await queue.redrive([line], app: "shop", expiry: .never).first else {
                throw Unexpected()
            }
            #expect(try await queue.job(new)?.due == starts)
            #expect(try await queue.claim().isEmpty)
        },
    ]

    static let looking: [QueueConformance] = [
        .init("jobs of another app are not seen") { queue, _ in
            let id = try await queue.add([.sample()])[0]
            #expect(try await queue.jobs([id, UUID()], app: "bank").isEmpty)
            #expect(try await queue.history(of: id, app: "bank") == nil)
            #expect(try await queue.bury([id], app: "bank", detail: "x") == [.unknownJob])
            #expect(try await queue.job(id)?.state == .waiting)
            let other = JobKey(row: (JobKey(id)?.row ?? 0), tag: 1).id
            #expect(try await queue.jobs([other], app: "shop").isEmpty, "an id that is nearly right")
        },
        .init("each list has its jobs, page by page") { queue, _ in
            let ids = try await queue.add((0..<14).map { .sample($0) })
            let jobs = try await queue.claim(10)
            _ = try await queue.start(jobs[..<8].map(\.lease))
            let kinds: [QueueJobOutcome.Kind] = [.accepted, .accepted, .accepted, .accepted, .rejected, .unknown]
            _ = try await queue.complete(
                zip(jobs, kinds).map {
                    QueueJobCompletion($0.lease, QueueJobOutcome($1, reason: $1 == .accepted ? nil : "x"))
                })
            let claimed = jobs.map(\.id)
            for limit in [1, 2, 3, 100] {
                #expect(Set(try await queue.list(.all, limit: limit)) == Set(ids))
                #expect(try await queue.list(.all, limit: limit).count == 14)
                #expect(Set(try await queue.list(.state(.waiting), limit: limit)) == Set(ids).subtracting(claimed))
                #expect(Set(try await queue.list(.state(.leased), limit: limit)) == Set(claimed[8...]))
                #expect(Set(try await queue.list(.state(.started), limit: limit)) == Set(claimed[6..<8]))
                #expect(try await queue.list(.state(.finished), limit: limit) == Array(claimed[..<6]))
                #expect(try await queue.list(.outcome(.accepted), limit: limit) == Array(claimed[..<4]))
                #expect(try await queue.list(.outcome(.rejected), limit: limit) == [claimed[4]])
                #expect(try await queue.list(.outcome(.unknown), limit: limit) == [claimed[5]])
                #expect(try await queue.list(.outcome(.notSent), limit: limit).isEmpty)
            }
            #expect(try await queue.list(.all, app: "none").isEmpty)
        },
        .init("a cursor or limit that is none is refused") { queue, _ in
            _ = try await queue.add([.sample()])
            for filter in [QueueJobQuery.Filter.all, .state(.waiting), .deadLetters] {
                var query = QueueJobQuery(app: "shop", filter: filter, limit: 10)
                query.after = "x.1"
                await #expect(throws: QueueError.self) { try await queue.jobs(query) }
            }
            for limit in [0, 1001] {
                await #expect(throws: QueueError.self) {
                    try await queue.jobs(QueueJobQuery(app: "shop", limit: limit))
                }
            }
        },
        .init("results come once, in their order, for several apps with one cursor") { queue, _ in
            var order: [UUID] = []
            for round in 0..<3 {
                for app in ["a", "b"] {
                    _ = try await queue.add([.sample(round)], app: app)
                    let job = try await queue.startAll(app: app)[0]
                    _ = try await queue.complete(job, .accepted)
                    order.append(job.id)
                }
            }
            var (cursor, found) = (QueueResultCursor.start, [UUID]())
            while true {
                let page = try await queue.settled().results(of: ["a", "b", "none"], after: cursor, limit: 2)
                #expect(!page.hasGap)
                if page.items.isEmpty { break }
                #expect(page.cursors.last == page.next && page.cursors.count == page.items.count)
                found += page.items.map(\.id)
                cursor = page.next
            }
            #expect(found == order)
            let first = try await queue.settled().results(of: ["a"], after: .start, limit: 9)
            #expect(first.items.map(\.id) == [order[0], order[2], order[4]])
            #expect(try await queue.settled().results(of: ["a", "b"], after: cursor, limit: 9).next == cursor)
        },
        .init("results that were dropped unread are a gap") { queue, clock in
            _ = try await queue.add([.sample(1), .sample(2)])
            let jobs = try await queue.startAll()
            _ = try await queue.complete(jobs[0], .accepted)
            let cursor = try await queue.settled().results(of: ["shop"], after: .start, limit: 9).next
            clock.advance(by: .seconds(10))
            _ = try await queue.complete(jobs[1], .accepted)
            #expect(try await queue.settled().dropFinished(before: .seconds(10), limit: 9) == 1)
            #expect(try await queue.settled().results(of: ["shop"], after: .start, limit: 9).hasGap)
            let page = try await queue.settled().results(of: ["shop"], after: cursor, limit: 9)
            #expect(!page.hasGap && page.items.map(\.id) == [jobs[1].id])
        },
        .init("a change is reported") { queue, _ in
            var jobs = queue.changes(of: .jobs).makeAsyncIterator()
            var results = queue.changes(of: .results).makeAsyncIterator()
            _ = try await queue.add([.sample()])
            #expect(await jobs.next() != nil)
            _ = try await queue.complete(try await queue.startAll()[0], .accepted)
            #expect(await results.next() != nil)
            await queue.close()
            #expect(await results.next() == nil)
        },
        .init("a closed queue says that it is closed") { queue, _ in
            await queue.close()
            await queue.close()
            await #expect { try await queue.add([.sample()]) } throws: { ($0 as? QueueError)?.code == .closed }
            await #expect { _ = try await queue.counts() } throws: { ($0 as? QueueError)?.code == .closed }
        },
    ]

    static let notes: [QueueConformance] = [
        .init("gone tokens are kept, found, listed in the order of their notes, and forgotten") { queue, clock in
            let since = clock.now
            try await queue.recordGone((1...3).map { GoneToken(NewQueueJob.token($0), since: since) }, app: "shop")
            try await queue.recordGone([GoneToken(NewQueueJob.token(1), since: .earliest)], app: "shop")
            #expect(
                try await queue.gone(among: [NewQueueJob.token(1), NewQueueJob.token(9)], app: "shop")
                    == [GoneToken(NewQueueJob.token(1), since: since)])
            #expect(try await queue.gone(among: [NewQueueJob.token(1)], app: "bank").isEmpty)
            let first = try await queue.settled().gone(app: "shop", after: nil, limit: 2)
            #expect(first.items.map(\.token) == [NewQueueJob.token(1), NewQueueJob.token(2)])
            try await queue.recordGone([GoneToken(NewQueueJob.token(1), since: since + .seconds(1))], app: "shop")
            let second = try await queue.settled().gone(app: "shop", after: first.next, limit: 9)
            #expect(second.items.map(\.token) == [NewQueueJob.token(3), NewQueueJob.token(1)])
            let third = try await queue.settled().gone(app: "shop", after: second.next, limit: 9)
            #expect(third.items.isEmpty && third.next == second.next && third.next != nil)
            #expect(try await queue.settled().gone(app: "bank", after: nil, limit: 9).next == nil)
            try await queue.forgetGone([NewQueueJob.token(1)], app: "shop")
            #expect(try await queue.gone(among: [NewQueueJob.token(1)], app: "shop").isEmpty)
        },
        .init("an outcome that says so notes that the token is gone") { queue, clock in
            _ = try await queue.add([.sample(5)])
            let job = try await queue.startAll()[0]
            var outcome = QueueJobOutcome(.rejected, reason: "Unregistered")
            outcome.goneSince = clock.now
            #expect(try await queue.complete(job, outcome) == .done)
            #expect(try await queue.job(job.id)?.outcome == outcome)
            #expect(try await queue.gone(among: [NewQueueJob.token(5)], app: "shop").map(\.since) == [clock.now])
        },
        .init("a record that is too large is refused, and the one before stays") { queue, _ in
            let maximum = [UInt8](repeating: 1, count: QueueServiceRecord.longestValue)
            let version = try #require(try await queue.store(maximum, kind: "key", key: "a", ifVersion: 0))
            await #expect {
                try await queue.store(maximum + [1], kind: "key", key: "a", ifVersion: nil)
            } throws: {
                ($0 as? QueueError)?.code == .tooLarge
            }
            let record = try await queue.record(kind: "key", key: "a")
            #expect(record?.version == version && record?.value == maximum)
        },
        .init("a record changes only from the version that its writer has read") { queue, _ in
            let first = try #require(try await queue.store([1], kind: "key", key: "a", ifVersion: 0))
            #expect(try await queue.store([2], kind: "key", key: "a", ifVersion: 0) == nil)
            let second = try #require(try await queue.store([2], kind: "key", key: "a", ifVersion: first))
            #expect(second > first)
            #expect(try await queue.store([3], kind: "key", key: "a", ifVersion: first) == nil)
            let record = try await queue.record(kind: "key", key: "a")
            #expect(record == QueueServiceRecord(key: "a", value: [2], version: second))
            _ = try await queue.store([4], kind: "key", key: "b", ifVersion: nil)
            _ = try await queue.store([], kind: "other", key: "a", ifVersion: nil)
            #expect(try await queue.records(kind: "key", after: nil, limit: 1).map(\.key) == ["a"])
            #expect(try await queue.records(kind: "key", after: "a", limit: 9).map(\.value) == [[4]])
            #expect(try await !queue.removeRecord(kind: "key", key: "a", ifVersion: first))
            #expect(try await queue.removeRecord(kind: "key", key: "a", ifVersion: second))
            #expect(try await queue.record(kind: "key", key: "a") == nil)
            #expect(try await !queue.removeRecord(kind: "key", key: "a", ifVersion: nil))
            let third = try #require(try await queue.store([5], kind: "key", key: "a", ifVersion: 0))
            #expect(third > second)
        },
        .init("records are stored with another one, or not at all") { queue, _ in
            let others: [(kind: String, key: String, value: [UInt8])] = [("day", "a", [1]), ("day", "b", [2])]
            func days() async throws -> [[UInt8]] { try await queue.records(kind: "day").map(\.value) }
            #expect(try await queue.store([1], kind: "key", key: "a", ifVersion: 7, with: others) == nil)
            #expect(try await days().isEmpty)
            let first = try #require(try await queue.store([1], kind: "key", key: "a", ifVersion: 0, with: others))
            #expect(try await days() == [[1], [2]])
            let tooLarge = [UInt8](repeating: 1, count: QueueServiceRecord.longestValue + 1)
            await #expect(throws: QueueError.self) {
                try await queue.store(
                    [2], kind: "key", key: "a", ifVersion: first, with: [("day", "a", [9]), ("day", "b", tooLarge)])
            }
            #expect(try await queue.record(kind: "key", key: "a")?.version == first)
            #expect(try await days() == [[1], [2]])
            #expect(try await queue.removeRecord(kind: "key", key: "a", ifVersion: nil))
            #expect(try await queue.store([3], kind: "key", key: "a", ifVersion: first, with: others) == nil)
        },
        .init("the history tells what happened, the earliest first, and is bounded") { queue, clock in
            let id = try await queue.add([.sample()])[0]
            for _ in 0..<30 {
                let job = try await queue.startAll()[0]
                clock.advance(by: .seconds(1))
                _ = try await queue.retry([QueueJobRetry(job.lease, due: .after(.zero), reason: "Busy")])
            }
            _ = try await queue.complete(try await queue.startAll()[0], .accepted)
            let history = try #require(try await queue.history(of: id, app: "shop"))
            #expect(history.first?.kind == .queued && history.last?.kind == .finished)
            #expect(history.filter { $0.kind == .retried }.count == 20)
            #expect(history.map(\.time) == history.map(\.time).sorted())
        },
    ]

    private static func cancelUncertain(_ queue: any QueueBackend) async throws {
        let job = NewQueueJob.sample().with { $0.policy = .atLeastOnce }
        let uncertain = try await queue.add([job, job, job])
        for claimed in try await queue.startAll() {
            var retry = QueueJobRetry(claimed.lease, due: .after(.zero), reason: "reset")
            retry.mayHaveArrived = true
            #expect(try await queue.retry([retry]) == [.done])
        }
        let ids = try await queue.add([.sample(1), .sample(2)])
        func counts(_ cancelled: QueueCancelled) -> [Int] {
            [cancelled.notSent, cancelled.unknown, cancelled.total]
        }
        var audit = QueueAudit { QueueAuditEntry(app: "shop", content: [UInt8($0 ?? 0)]) }
        let some = try await queue.cancel([ids[0], uncertain[0], UUID()], app: "shop", isLast: true, &audit)
        #expect(counts(some) == [1, 1, 2])
        #expect(counts(try await queue.cancelAll(app: "shop", limit: 9, audit: audit)) == [1, 2, 3])
        #expect(try await queue.audit(of: nil, before: nil, limit: 9).map(\.entry.content) == [[5], [2]])
        #expect(try await queue.counts()["shop"]?.unknown == 3)
    }
}
