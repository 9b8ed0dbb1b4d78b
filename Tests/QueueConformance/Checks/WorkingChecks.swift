import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let claiming: [QueueConformance] = [
        .init("a job is not claimed before it is due, and the next due time is known") { queue, clock in
            let due = clock.now + .seconds(60)
            _ = try await queue.add([NewQueueJob.sample().with { $0.due = .at(due) }])
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.nextDue(of: ["shop", "bank"]) == due)
            clock.advance(by: .seconds(60))
            #expect(try await queue.claim().count == 1)
            #expect(try await queue.nextDue(of: ["shop"]) == nil)
        },
        .init("a higher priority goes first, then the earlier due time") { queue, clock in
            let times = [3, 1, 2].map { clock.now + .seconds($0) }
            let ids = try await queue.add(
                [QueuePriority.low, .normal, .high].flatMap { priority in
                    times.map { time in
                        NewQueueJob.sample().with {
                            $0.due = .at(time); $0.priority = priority
                        }
                    }
                })
            clock.advance(by: .seconds(10))
            let order = [7, 8, 6, 4, 5, 3, 1, 2, 0].map { ids[$0] }
            #expect(try await queue.list(.state(.waiting)) == order)
            #expect(try await queue.claim(4).map(\.id) == Array(order[..<4]))
            #expect(try await queue.claim().map(\.id) == Array(order[4...]))
        },
        .init("many jobs of one app do not delay the one of another") { queue, _ in
            _ = try await queue.add((0..<200).map { .sample($0) }, app: "busy")
            let single = try await queue.add([.sample()], app: "quiet")
            let claimed = try await queue.claim(
                QueueClaimRequest(
                    owner: "w", limit: 10, lease: .seconds(9), apps: ["busy": 100, "quiet": 100, "none": 5]))
            #expect(claimed.count == 10)
            #expect(claimed.filter { $0.app == "quiet" }.map(\.id) == single)
        },
        .init("each app has its limit, and an app without one is left alone") { queue, _ in
            for app in ["a", "b", "c"] { _ = try await queue.add((0..<20).map { .sample($0) }, app: app) }
            let claimed = try await queue.claim(
                QueueClaimRequest(owner: "w", limit: 30, lease: .seconds(9), apps: ["a": 3, "b": 100]))
            #expect(claimed.filter { $0.app == "a" }.count == 3)
            #expect(claimed.filter { $0.app == "b" }.count == 20)
            #expect(claimed.count == 23)
        },
        .init("apps take turns if there are more of them than jobs to claim") { queue, _ in
            for app in ["a", "b", "c"] { _ = try await queue.add((0..<9).map { .sample($0) }, app: app) }
            var apps: Set<String> = []
            for _ in 0..<3 {
                let request = QueueClaimRequest(
                    owner: "w", limit: 1, lease: .seconds(9), apps: ["a": 9, "b": 9, "c": 9])
                apps.formUnion(try await queue.claim(request).map(\.app))
            }
            #expect(apps == ["a", "b", "c"])
        },
        .init("a leased job is not claimed again") { queue, _ in
            _ = try await queue.add((0..<5).map { .sample($0) })
            let first = try await queue.claim(3)
            let second = try await queue.claim()
            #expect(Set(first.map(\.id)).isDisjoint(with: second.map(\.id)))
            #expect(first.count == 3 && second.count == 2)
            #expect(second[0].lease.fence > first[0].lease.fence)
        },
        .init("an expired job is not claimed, and ends as expired") { queue, clock in
            let ids = try await queue.add([NewQueueJob.sample().with { $0.expiry = .after(.seconds(5)) }, .sample()])
            clock.advance(by: .seconds(5))
            #expect(try await queue.claim().map(\.id) == [ids[1]])
            #expect(try await queue.expireOverdue(limit: 10) == 1)
            #expect(try await queue.expireOverdue(limit: 10) == 0)
            let record = try #require(try await queue.job(ids[0]))
            #expect(record.outcome == QueueJobOutcome(.notSent, reason: "expired") && record.finished == clock.now)
        },
        .init("an expiry after a duration counts from the due time") { queue, clock in
            let due = clock.now + .seconds(60)
            let job = NewQueueJob.sample().with {
                $0.due = .at(due); $0.expiry = .after(.seconds(5))
            }
            let ids = try await queue.add([job])
            #expect(try await queue.job(ids[0])?.expires == due + .seconds(5))
        },
    ]

    static let leases: [QueueConformance] = [
        .init("start and complete are done once, and may be repeated after a lost answer") { queue, clock in
            let id = try await queue.add([.sample()])[0]
            let job = try #require(try await queue.claim().first)
            #expect(try await queue.complete(job, .accepted) == .notStarted)
            #expect(try await queue.start([job.lease]) == [.done])
            #expect(try await queue.start([job.lease]) == [.done])
            #expect(try await queue.job(id)?.attempts == 1)
            #expect(try await queue.giveBack([job.lease]) == [.started])
            var outcome = QueueJobOutcome(.rejected, reason: "BadDeviceToken", detail: "It is no token.")
            (outcome.status, outcome.uniqueID) = (400, UUID())
            #expect(try await queue.complete(job, outcome) == .done)
            #expect(try await queue.complete(job, outcome) == .done)
            #expect(try await queue.complete(job, .accepted) == .finished)
            #expect(try await queue.start([job.lease]) == [.finished])
            #expect(try await queue.retry([QueueJobRetry(job.lease, due: .after(.zero), reason: "x")]) == [.finished])
            let record = try #require(try await queue.job(id))
            #expect(record.outcome == outcome && record.state == .finished && record.finished == clock.now)
        },
        .init("each job of a step gets its own result") { queue, _ in
            let ids = try await queue.add((0..<3).map { .sample($0) })
            let jobs = try await queue.claim()
            _ = try await queue.cancel([ids[1]], app: "shop")
            let unknown = QueueJobLease(id: UUID(), app: "shop", fence: 1)
            let foreign = QueueJobLease(id: ids[0], app: "bank", fence: jobs[0].lease.fence)
            let late = QueueJobLease(id: ids[2], app: "shop", fence: jobs[0].lease.fence - 1)
            let leases = jobs.map(\.lease) + [unknown, foreign, late]
            #expect(
                try await queue.start(leases) == [.done, .finished, .done, .unknownJob, .unknownJob, .lost])
            #expect(
                try await queue.complete(leases.map { QueueJobCompletion($0, .accepted) })
                    == [.done, .finished, .done, .unknownJob, .unknownJob, .finished])
        },
        .init("a job that was given back waits again, and it was no attempt") { queue, _ in
            let id = try await queue.add([.sample()])[0]
            let first = try await queue.claim()
            #expect(try await queue.giveBack(first.map(\.lease)) == [.done])
            #expect(try await queue.job(id)?.attempts == 0)
            let second = try await queue.claim()
            #expect(second.map(\.id) == [id])
            #expect(try await queue.start(first.map(\.lease)) == [.lost])
            #expect(try await queue.job(id)?.state == .leased, "the lost lease has started nothing")
            #expect(try await queue.start(second.map(\.lease)) == [.done])
        },
        .init("a job that is not started can only end as not sent") { queue, _ in
            let id = try await queue.add([.sample()])[0]
            let job = try #require(try await queue.claim().first)
            #expect(try await queue.complete(job, QueueJobOutcome(.unknown, reason: "x")) == .notStarted)
            #expect(try await queue.complete(job, QueueJobOutcome(.notSent, reason: "invalid")) == .done)
            #expect(try await queue.job(id)?.outcome?.reason == "invalid")
        },
        .init("a retry waits, and the next try knows of it") { queue, clock in
            let id = try await queue.add([.sample()])[0]
            let first = try await queue.startAll()
            let retry = QueueJobRetry(first[0].lease, due: .after(.seconds(10)), reason: "TooManyRequests")
            #expect(try await queue.retry([retry]) == [.done])
            #expect(try await queue.retry([retry]) == [.done], "after a lost answer")
            #expect(try await queue.claim().isEmpty)
            clock.advance(by: .seconds(10))
            let second = try await queue.startAll()
            #expect(second.map(\.id) == [id] && second[0].attempts == 1 && !second[0].mayHaveArrived)
            #expect(try await queue.complete(first[0], .accepted) == .lost)
            #expect(try await queue.complete(second[0], .accepted) == .done)
            #expect(
                try await queue.history(of: id, app: "shop")?.map(\.kind)
                    == [.queued, .retried, .started, .finished])
        },
        .init("a retry after the expiry ends the job") { queue, clock in
            let id = try await queue.add([NewQueueJob.sample().with { $0.expiry = .after(.seconds(10)) }])[0]
            let job = try await queue.startAll()[0]
            #expect(
                try await queue.retry([QueueJobRetry(job.lease, due: .after(.seconds(10)), reason: "Busy")]) == [.done])
            #expect(try await queue.job(id)?.outcome == QueueJobOutcome(.notSent, reason: "expired", detail: "Busy"))
        },
        .init("a job that may have arrived is not tried again under at-most-once") { queue, _ in
            _ = try await queue.add([.sample()])
            let job = try await queue.startAll()[0]
            var retry = QueueJobRetry(job.lease, due: .after(.zero), reason: "x")
            retry.mayHaveArrived = true
            #expect(try await queue.retry([retry]) == [.forbidden])
            #expect(try await queue.complete(job, QueueJobOutcome(.unknown, reason: "x")) == .done)
        },
        .init("a job that may have arrived never ends as not sent") { queue, clock in
            let jobs = (0..<4).map {
                NewQueueJob.sample($0).with {
                    $0.policy = .atLeastOnce; $0.expiry = .after(.seconds(99))
                }
            }
            let ids = try await queue.add(jobs)
            let retries = try await queue.startAll().map { job in
                var retry = QueueJobRetry(job.lease, due: .after(.zero), reason: "x")
                retry.mayHaveArrived = true
                return retry
            }
            #expect(try await queue.retry(retries) == [.done, .done, .done, .done])
            _ = try await queue.cancel([ids[0]], app: "shop")
            _ = try await queue.bury([ids[1]], app: "shop", detail: "why")
            let again = try #require(try await queue.claim(1).first)
            #expect(again.mayHaveArrived)
            #expect(try await queue.complete(again, QueueJobOutcome(.notSent, reason: "invalid")) == .done)
            #expect(try await queue.complete(again, QueueJobOutcome(.notSent, reason: "invalid")) == .done)
            clock.advance(by: .seconds(100))
            _ = try await queue.expireOverdue(limit: 9)
            let outcomes = try await queue.jobs(ids, app: "shop").compactMap(\.outcome)
            #expect(outcomes.map(\.kind) == [.unknown, .unknown, .unknown, .unknown])
            #expect(Set(outcomes.compactMap(\.reason)) == ["cancelled", "buried", "invalid", "expired"])
        },
        .init("an extended lease lasts longer, and all jobs of the claim with it") { queue, clock in
            let ids = try await queue.add((0..<2).map { .sample($0) })
            let jobs = try await queue.claim(lease: .seconds(30))
            clock.advance(by: .seconds(20))
            #expect(try await queue.extend([jobs[0].lease], by: .seconds(30)) == [.done])
            clock.advance(by: .seconds(20))
            #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
            #expect(try await queue.job(ids[1])?.leaseEnds == clock.now + .seconds(10))
            #expect(try await queue.job(ids[1])?.owner == "worker")
            clock.advance(by: .seconds(10))
            #expect(try await queue.recoverLeases().waiting == 2)
            #expect(try await queue.extend([jobs[0].lease], by: .seconds(30)) == [.lost])
        },
    ]

    static let recovery: [QueueConformance] = [
        .init("the jobs of a lost worker wait again if they were not started, and the worker is refused") {
            queue, clock in
            let id = try await queue.add([.sample()])[0]
            let late = try await queue.claim(lease: .seconds(30))[0]
            clock.advance(by: .seconds(30))
            #expect(try await queue.recoverLeases().waiting == 1)
            let record = try #require(try await queue.job(id))
            #expect(record.state == .waiting && record.attempts == 1 && record.lostLeases == 1)
            for lost in [true, false] {
                let expected: QueueLeaseResult = .lost
                #expect(try await queue.start([late.lease]) == [expected])
                #expect(try await queue.complete(late, .accepted) == expected)
                #expect(try await queue.extend([late.lease], by: .seconds(9)) == [expected])
                #expect(try await queue.giveBack([late.lease]) == [expected])
                #expect(
                    try await queue.retry([QueueJobRetry(late.lease, due: .after(.zero), reason: "x")]) == [expected])
                if lost { #expect(try await queue.claim().map(\.id) == [id]) }
            }
        },
        .init("a started job of a lost worker is unknown under at-most-once") { queue, clock in
            let id = try await queue.add([.sample()])[0]
            let late = try await queue.startAll()[0]
            clock.advance(by: .seconds(30))
            #expect(try await queue.recoverLeases().unknown == 1)
            #expect(try await queue.job(id)?.outcome == QueueJobOutcome(.unknown, reason: "worker_lost"))
            #expect(try await queue.complete(late, .accepted) == .finished)
            #expect(try await queue.claim().isEmpty)
        },
        .init("a started job of a lost worker is sent again with its id under at-least-once") { queue, clock in
            let id = try await queue.add([NewQueueJob.sample().with { $0.policy = .atLeastOnce }])[0]
            let late = try await queue.startAll()[0]
            clock.advance(by: .seconds(30))
            #expect(try await queue.recoverLeases().waiting == 1)
            let again = try await queue.startAll()
            #expect(again.map(\.id) == [id] && again[0].mayHaveArrived && again[0].attempts == 1)
            #expect(try await queue.complete(late, .accepted) == .lost)
            #expect(try await queue.complete(again[0], .accepted) == .done)
        },
        .init("a job that takes its workers down is buried") { queue, clock in
            let id = try await queue.add([.sample()])[0]
            for round in 1...3 {
                #expect(try await queue.claim().count == 1)
                clock.advance(by: .seconds(30))
                #expect(try await queue.recoverLeases().buried == (round == 3 ? 1 : 0))
            }
            #expect(try await queue.job(id)?.outcome?.reason == "buried")
            #expect(try await queue.list(.deadLetters) == [id])
        },
        .init("a job that ends its workers before it is sent is buried, and no job beside it") { queue, clock in
            let innocent = try await queue.add((1...9).map { .sample($0) })
            let guilty = try await queue.add([.sample()], app: "bank")[0]
            let deaths = try await queue.work(clock, guilty: guilty, sends: false)
            #expect(deaths == 3)
            #expect(try await queue.job(guilty, app: "bank")?.outcome?.reason == "buried")
            #expect(try await queue.jobs(innocent, app: "shop").allSatisfy { $0.outcome == .accepted })
        },
        .init("a job that ends its workers when it is sent is buried, and no job beside it") { queue, clock in
            let innocent = try await queue.add((1...9).map { NewQueueJob.sample($0).with { $0.policy = .atLeastOnce } })
            let job = NewQueueJob.sample().with { $0.policy = .atLeastOnce }
            let guilty = try await queue.add([job], app: "zoo")[0]
            let deaths = try await queue.work(clock, guilty: guilty, sends: true)
            #expect(deaths == 3)
            #expect(try await queue.job(guilty, app: "zoo")?.outcome?.reason == "buried")
            #expect(try await queue.jobs(innocent, app: "shop").allSatisfy { $0.outcome == .accepted })
        },
        .init("a job with which two workers were lost is claimed alone, and only by a claim that looks for it") {
            queue, clock in
            let ids = try await queue.add((0..<3).map { .sample($0) })
            for _ in 0..<2 {
                #expect(try await queue.claim().count == 3)
                clock.advance(by: .seconds(30))
                #expect(try await queue.recoverLeases().waiting == 3)
            }
            let new = try await queue.add([.sample(4)])
            var request = QueueClaimRequest(owner: "w", limit: 9, lease: .seconds(9), apps: ["shop": 9])
            request.seeksSuspect = false
            #expect(try await queue.claim(request).map(\.id) == new)
            #expect(try await queue.claim(request).isEmpty)
            var found: [UUID] = []
            for _ in ids {
                let alone = try await queue.claim()
                #expect(alone.count == 1 && alone.allSatisfy(\.isSuspect))
                found += alone.map(\.id)
            }
            #expect(Set(found) == Set(ids))
        },
        .init("finished jobs of a lost worker stay as they are") { queue, clock in
            let ids = try await queue.add((0..<3).map { .sample($0) })
            let jobs = try await queue.startAll()
            _ = try await queue.complete(jobs[0], .accepted)
            clock.advance(by: .seconds(30))
            let recovery = try await queue.recoverLeases()
            #expect(recovery.unknown == 2 && recovery.waiting == 0)
            #expect(try await queue.job(ids[0])?.outcome == .accepted)
            #expect(try await queue.counts()["shop"]?.started == 0)
        },
    ]
}

extension QueueBackend {
    /// Works until no job waits. Each worker takes what is due, and one job ends it, either before anything is sent or when it is sent.
    ///
    /// - Returns: The number of workers that were lost.
    fileprivate func work(_ clock: ManualClock, guilty: UUID, sends: Bool) async throws -> Int {
        var deaths = 0
        while true {
            let request = QueueClaimRequest(
                owner: "worker \(deaths)", limit: 100, lease: .seconds(30),
                apps: ["bank": 100, "shop": 100, "zoo": 100])
            let jobs = try await claim(request)
            if jobs.isEmpty || deaths > 20 { return deaths }
            let isFatal = jobs.contains { $0.id == guilty }
            if sends || !isFatal { _ = try await start(jobs.map(\.lease)) }
            if isFatal {
                deaths += 1
                clock.advance(by: .seconds(30))
                _ = try await recoverLeases()
            } else {
                _ = try await complete(jobs.map { QueueJobCompletion($0.lease, .accepted) })
            }
        }
    }
}
