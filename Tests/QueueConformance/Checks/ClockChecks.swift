import PushQueue
import Testing

extension QueueConformance {
    /// What a queue does when the wall clock jumps.
    static let clocks = jumps + keysAcrossJumps + timesAcrossJumps

    private static let jumps: [QueueConformance] = [
        .init("a clock that goes forward takes no job from a worker that lives, and doubles nothing") { queue, clock in
            let ids = try await queue.add(
                (0..<4).map { number in .sample(number).with { $0.policy = number < 2 ? .atMostOnce : .atLeastOnce } })
            let jobs = try await queue.claim(lease: .seconds(30))
            #expect(try await queue.start([jobs[0].lease, jobs[2].lease]) == [.done, .done])
            clock.advance(by: .seconds(20))
            clock.jump(by: .seconds(3600))
            #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.job(ids[1])?.leaseEnds == clock.now + .seconds(10))
            #expect(try await queue.start([jobs[1].lease, jobs[3].lease]) == [.done, .done])
            for job in jobs.dropLast() { #expect(try await queue.complete(job, .accepted) == .done) }
            clock.advance(by: .seconds(10))
            #expect(try await queue.recoverLeases().waiting == 1, "the lease ends when its time is over")
            #expect(try await queue.counts()["shop"]?.accepted == 3)
        },
        .init("a jump takes nothing from a worker whose lease is extended afterwards") { queue, clock in
            _ = try await queue.add([.sample()])
            let job = try await queue.claim(lease: .seconds(30))[0]
            for jump in [7200, -3600, 365 * 24 * 3600] {
                clock.jump(by: .seconds(jump))
                #expect(try await queue.extend([job.lease], by: .seconds(30)) == [.done])
                clock.advance(by: .seconds(29))
                #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
                #expect(try await queue.job(job.id)?.leaseEnds == clock.now + .seconds(1))
            }
        },
        .init("a clock that goes back makes no lease eternal, and no due job wait") { queue, clock in
            let ids = try await queue.add([.sample(1), .sample(2)])
            let jobs = try await queue.claim(1, lease: .seconds(30))
            clock.jump(by: .seconds(-24 * 3600))
            #expect(try await queue.claim(1).map(\.id) == [ids[1]], "it was due already")
            #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
            clock.advance(by: .seconds(30))
            #expect(try await queue.recoverLeases().waiting == 2)
            #expect(try await queue.start(jobs.map(\.lease)) == [.lost])
            #expect(try await queue.claim().count == 2, "they were due already")
        },
        .init("a machine that sleeps ends no lease, and the worker goes on afterwards") { queue, clock in
            let ids = try await queue.add([.sample()])
            let job = try await queue.startAll(lease: .seconds(30))[0]
            clock.advance(by: .seconds(10))
            clock.sleep(for: .seconds(8 * 3600))
            clock.advance(by: .seconds(19))
            #expect(try await queue.recoverLeases() == QueueLeaseRecovery())
            #expect(try await queue.complete(job, .accepted) == .done)
            #expect(try await queue.job(ids[0])?.finished == clock.now)
        },
    ]

    private static let keysAcrossJumps: [QueueConformance] = [
        .init("a request that is repeated after a jump is not done again") { queue, clock in
            let job = NewQueueJob.sample().with { $0.dedupeKey = "d" }
            let request = EnqueueRequest([job], app: "shop", idempotency: QueueIdempotencyKey("k", digest: [1]))
            guard case .done(let results) = try await queue.enqueue(request) else { throw Unexpected() }
            _ = try await queue.complete(try await queue.startAll()[0], .accepted)
            for jump in [30 * 24 * 3600, -60 * 24 * 3600] {
                clock.jump(by: .seconds(jump))
                // Only the count of a minute is old by the wall clock.
                #expect(try await queue.dropKeys(limit: 9) == (jump > 0 ? 1 : 0))
                #expect(try await queue.enqueue(request) == .replayed(results))
                #expect(try await queue.add([job]) == results.compactMap(\.id))
            }
            #expect(try await queue.counts()["shop"]?.waiting == 0)
            clock.advance(by: .seconds(24 * 3600))
            #expect(try await queue.dropKeys(limit: 9) == 2)
        },
        .init("a reservation holds across a jump, and ends when its time is over") { queue, clock in
            let key = QueueIdempotencyKey("k", digest: [1])
            guard case .reserved = try await queue.reserve(key, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
            clock.jump(by: .seconds(3600))
            #expect(try await queue.reserve(key, app: "shop", lasting: .seconds(60)) == .inProgress)
            clock.jump(by: .seconds(-7200))
            clock.advance(by: .seconds(59))
            #expect(try await queue.reserve(key, app: "shop", lasting: .seconds(60)) == .inProgress)
            clock.advance(by: .seconds(1))
            guard case .reserved = try await queue.reserve(key, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
        },
        .init("finished jobs are kept for as long as before a jump") { queue, clock in
            let ids = try await queue.add([.sample()])
            _ = try await queue.complete(try await queue.startAll()[0], .accepted)
            clock.jump(by: .seconds(365 * 24 * 3600))
            #expect(try await queue.settled().erasePayloads(finishedBefore: .seconds(3600), limit: 9) == 0)
            #expect(try await queue.settled().dropFinished(before: .seconds(3600), limit: 9) == 0)
            clock.jump(by: .seconds(-730 * 24 * 3600))
            clock.advance(by: .seconds(3600))
            #expect(try await queue.settled().dropFinished(before: .seconds(3600), limit: 9) == 1)
            #expect(try await queue.jobs(ids, app: "shop").isEmpty)
        },
    ]

    private static let timesAcrossJumps: [QueueConformance] = [
        .init("a retry after a duration waits for it, also across a jump; a given time stays") { queue, clock in
            for jump in [-3600, 3600] {
                let due = clock.now + .seconds(7200)
                let ids = try await queue.add([.sample(1), NewQueueJob.sample(2).with { $0.due = .at(due) }])
                let job = try await queue.startAll()[0]
                _ = try await queue.retry([QueueJobRetry(job.lease, due: .after(.seconds(20)), reason: "x")])
                clock.jump(by: .seconds(jump))
                clock.advance(by: .seconds(19))
                #expect(try await queue.claim().isEmpty)
                clock.advance(by: .seconds(1))
                #expect(try await queue.claim().map(\.id) == [ids[0]])
                #expect(try await queue.job(ids[1])?.due == due)
                _ = try await queue.purge(app: "shop", limit: 9)
            }
        },
        .init("a time that the caller gave follows the wall clock") { queue, clock in
            let start = clock.now
            let jobs: [NewQueueJob] = [
                .sample(1).with { $0.due = .at(start + .seconds(60)) },
                .sample(2).with { $0.expiry = .at(start + .seconds(60)) },
            ]
            let ids = try await queue.add(jobs)
            clock.jump(by: .seconds(3600))
            #expect(try await queue.claim().map(\.id) == [ids[0]])
            #expect(try await queue.expireOverdue(limit: 9) == 1)
            #expect(try await queue.job(ids[1])?.outcome == QueueJobOutcome(.notSent, reason: "expired"))
        },
        .init("an expiry after a duration is not shortened by a jump") { queue, clock in
            let job = NewQueueJob.sample().with { $0.expiry = .after(.seconds(60)) }
            let later = job.with { $0.due = .at(clock.now + .seconds(9000)) }
            let ids = try await queue.add([job, job, later])
            let held = try await queue.startAll().prefix(1).map(\.lease) + []
            clock.jump(by: .seconds(3600))
            #expect(try await queue.expireOverdue(limit: 9) == 0)
            #expect(
                try await queue.retry(held.map { QueueJobRetry($0, due: .after(.seconds(50)), reason: "x") }) == [.done]
            )
            #expect(try await queue.job(held[0].id)?.expires == clock.now + .seconds(60))
            clock.advance(by: .seconds(50))
            #expect(try await queue.recoverLeases().unknown == 1)
            #expect(try await queue.claim().map(\.id) == [held[0].id])
            clock.jump(by: .seconds(-7200))
            #expect(try await queue.job(ids[2])?.expires == later.dueTime.map { $0 + .seconds(60) })
        },
        .init("a retry at a given time is not sent after its expiry, which a jump has moved before it") {
            queue, clock in
            _ = try await queue.add([NewQueueJob.sample().with { $0.expiry = .after(.seconds(60)) }])
            let job = try await queue.startAll()[0]
            let due = clock.now + .seconds(50)
            #expect(try await queue.retry([QueueJobRetry(job.lease, due: .at(due), reason: "x")]) == [.done])
            clock.jump(by: .seconds(-3600))
            clock.advance(by: .seconds(60))
            #expect(try await queue.expireOverdue(limit: 9) == 0)
            #expect(try await queue.claim().isEmpty)
            clock.advance(by: .seconds(3600))
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.expireOverdue(limit: 9) == 1)
        },
        .init("a job that was claimed again is moved once by a jump, though its earlier lease still lasts") {
            queue, clock in
            let ids = try await queue.add((0..<2).map { .sample($0).with { $0.expiry = .after(.seconds(60)) } })
            let jobs = try await queue.claim()
            #expect(try await queue.giveBack([jobs[0].lease]) == [.done])
            #expect(try await queue.claim().map(\.id) == [jobs[0].id])
            clock.jump(by: .seconds(3600))
            try await queue.checkWriting()
            for id in ids { #expect(try await queue.job(id)?.expires == clock.now + .seconds(60)) }
        },
        .init("a retry never waits beyond the time at which its job ends") { queue, clock in
            let expires = clock.now + .seconds(5400)
            let id = try await queue.add([NewQueueJob.sample().with { $0.expiry = .at(expires) }])[0]
            let job = try await queue.startAll()[0]
            _ = try await queue.retry([QueueJobRetry(job.lease, due: .after(.seconds(3000)), reason: "x")])
            clock.jump(by: .seconds(3600))
            #expect(try await queue.expireOverdue(limit: 9) == 0)
            #expect(try await queue.job(id)?.due == expires)
            clock.advance(by: .seconds(1800))
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.expireOverdue(limit: 9) == 1)
        },
    ]
}

extension NewQueueJob {
    fileprivate var dueTime: QueueTime? {
        if case .at(let time) = due { time } else { nil }
    }
}
