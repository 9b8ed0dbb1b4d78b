import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let takingIn: [QueueConformance] = [
        .init("a job comes out as it went in") { queue, clock in
            let job = NewQueueJob.sample(7).with {
                $0.variables = Array(#"{"name":"Ann"}"#.utf8)
                $0.expiry = .after(.seconds(60))
                $0.priority = .high
                $0.policy = .atLeastOnce
            }
            let id = try #require(try await queue.add([job]).first)
            let claimed = try #require(try await queue.claim().first)
            #expect(claimed.id == id && claimed.app == "shop" && claimed.target == job.target)
            #expect(claimed.payload == job.payload && claimed.variables == job.variables && claimed.push == job.push)
            #expect(claimed.due == clock.now && claimed.queued == clock.now)
            #expect(claimed.expires == clock.now + .seconds(60))
            #expect(claimed.priority == .high && claimed.policy == .atLeastOnce)
            #expect(claimed.attempts == 0 && !claimed.mayHaveArrived)
        },
        .init("unusual tokens, channels and empty parts come out as they went in") { queue, _ in
            let targets: [QueueJobTarget] = [
                .device("ABCDEG"), .device("abc"), .device("not hex"), .device("ab"), .channel("dHN0LXNyY2gtY2hubA=="),
                .channel("ab"),
            ]
            let jobs =
                targets.map { NewQueueJob(to: $0, payload: [0, 255]) }
                + [NewQueueJob.sample().with { $0.variables = [] }]
            let ids = try await queue.add(jobs)
            let claimed = try await queue.claim()
            for (id, job) in zip(ids, jobs) {
                let found = claimed.first { $0.id == id }
                #expect(found?.target == job.target && found?.variables == job.variables && found?.push == job.push)
                #expect(found?.payload == job.payload)
            }
        },
        .init("an id is a UUID of version 7, and no two are the same") { queue, clock in
            let later = NewQueueJob.sample().with { $0.due = .at(clock.now + .seconds(60)) }
            let ids = try await queue.add(Array(repeating: .sample(), count: 300) + Array(repeating: later, count: 300))
            #expect(Set(ids).count == 600)
            #expect(ids.allSatisfy { $0.bytes[6] >> 4 == 7 && $0.bytes[8] >> 6 == 2 })
        },
        .init("one invalid job refuses all of an atomic request, and only itself otherwise") { queue, clock in
            let early = NewQueueJob.sample().with {
                $0.due = .at(clock.now + .seconds(9)); $0.expiry = .at(clock.now + .seconds(9))
            }
            var request = EnqueueRequest([.sample(), early], app: "shop")
            #expect(try await queue.enqueue(request) == .done([.omitted, .invalid(.expiresTooEarly)]))
            #expect(try await queue.claim().isEmpty)
            request.isAtomic = false
            guard case .done(let results) = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(results[1] == .invalid(.expiresTooEarly))
            #expect(try await queue.claim().map(\.id) == [results[0].id])
        },
        .init("each limit of a job is checked") { queue, clock in
            let long = String(repeating: "a", count: NewQueueJob.longestName + 1)
            let wrong: [(EnqueueResult.Refusal, NewQueueJob)] = [
                (.target, NewQueueJob(to: .device(""), payload: [1])),
                (.target, NewQueueJob(to: .channel(long), payload: [1])),
                (.payload, NewQueueJob(to: .device("ab"), payload: [])),
                (
                    .payload,
                    NewQueueJob(to: .device("ab"), payload: Array(repeating: 1, count: NewQueueJob.longestPayload + 1))
                ),
                (
                    .variables,
                    .sample().with { $0.variables = Array(repeating: 1, count: NewQueueJob.longestVariables + 1) }
                ),
                (.push, .sample().with { $0.push = Array(repeating: 1, count: NewQueueJob.longestPush + 1) }),
                (.dedupeKey, NewQueueJob.sample().with { $0.dedupeKey = "" }),
                (.timeOutOfRange, NewQueueJob.sample().with { $0.due = .at(QueueTime(milliseconds: -1)) }),
                (.timeOutOfRange, NewQueueJob.sample().with { $0.expiry = .at(QueueTime(milliseconds: .max)) }),
                (.expiresTooEarly, NewQueueJob.sample().with { $0.expiry = .at(clock.now) }),
                (.expiresTooEarly, NewQueueJob.sample().with { $0.expiry = .after(.zero) }),
            ]
            for (refusal, job) in wrong {
                let answer = try await queue.enqueue(EnqueueRequest([job], app: "shop"))
                #expect(answer == .done([.invalid(refusal)]))
            }
            await #expect(throws: QueueError.self) { try await queue.add([.sample()], app: "") }
        },
        .init("a given id is kept, and a job whose id is stored is not added again, also when it has its outcome") {
            queue, clock in
            let id = JobKey(row: clock.now.milliseconds << 20 | 77, tag: 5).id
            let job = NewQueueJob.sample(1).with { ($0.id, $0.dedupeKey) = (id, "d") }
            #expect(try await queue.enqueue(EnqueueRequest([job], app: "shop")) == .done([.queued(id)]))
            #expect(try await queue.enqueue(EnqueueRequest([job], app: "shop")) == .done([.stored(id)]))
            let started = try await queue.startAll()
            #expect(started.map(\.id) == [id])
            _ = try await queue.complete(started[0], .accepted)
            let other = NewQueueJob.sample(2).with { $0.dedupeKey = "d" }
            let both = EnqueueRequest([job, other], app: "shop")
            #expect(try await queue.enqueue(both) == .done([.stored(id), .duplicate(id)]))
            #expect(try await queue.counts()["shop"]?.accepted == 1)
            #expect(try await queue.counts()["shop"]?.unfinished == 0)
        },
        .init("jobs that were read before an erasure are not added after it") { queue, _ in
            let known = try await queue.lastErasure()
            var request = EnqueueRequest([.sample()], app: "shop")
            request.lastErasure = known
            guard case .done = try await queue.enqueue(request) else { throw Unexpected() }
            let later = try await queue.noteErasure()
            #expect(later > known)
            #expect(try await queue.lastErasure() == later)
            #expect(try await queue.enqueue(request) == .conflict)
            #expect(try await queue.counts()["shop"]?.waiting == 1)
            request.lastErasure = later
            guard case .done = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(try await queue.counts()["shop"]?.waiting == 2)
        },
        .init("a job that comes with its outcome ends at once, and is never claimed") { queue, clock in
            let id = JobKey(row: clock.now.milliseconds << 20 | 78, tag: 6).id
            let outcome = QueueJobOutcome(.notSent, reason: "invalid", detail: "why")
            let end = try await queue.settled().resultsEnd()
            let refused = NewQueueJob.sample(1).with { ($0.id, $0.outcome) = (id, outcome) }
            let ids = try await queue.add([.sample(2), refused])
            #expect(try await queue.claim().map(\.id) == [ids[0]])
            let record = try await queue.job(id)
            #expect(record?.outcome == outcome && record?.state == .finished)
            let results = try await queue.settled().results(of: ["shop"], after: end, limit: 10)
            #expect(results.items.map(\.id) == [id])
            #expect(try await queue.counts()["shop"]?.notSent == 1)
            #expect(try await queue.counts()["shop"]?.unfinished == 1)
        },
        .init("an id that no queue makes is refused") { queue, _ in
            let job = NewQueueJob.sample().with { $0.id = UUID(1, 2) }
            let answer = try await queue.enqueue(EnqueueRequest([job], app: "shop"))
            #expect(answer == .done([.invalid(.id)]))
        },
        .init("acknowledged jobs survive a kill, which other checks do not try") { queue, _ in
            #expect(try await queue.add([.sample()]).count == 1)
            try await queue.checkWriting()
        },
    ]

    static let keys: [QueueConformance] = [
        .init("a dedupe key lets one job of its app in, until the job has ended and the key is old") { queue, clock in
            let job = NewQueueJob.sample().with { $0.dedupeKey = "order-1" }
            let ids = try await queue.add([job, job])
            #expect(ids[0] == ids[1])
            #expect(try await queue.job(ids[0])?.dedupeKey == "order-1")
            #expect(try await queue.add([job], app: "bank")[0] != ids[0])
            clock.advance(by: .seconds(25 * 3600))
            #expect(try await queue.add([job]) == [ids[0]], "the job still waits")
            #expect(try await queue.dropKeys(limit: 10) == 0)
            let claimed = try await queue.startAll()
            _ = try await queue.complete(claimed[0], .accepted)
            #expect(try await queue.add([job]) == [ids[0]], "the key was kept longer")
            clock.advance(by: .seconds(25 * 3600))
            #expect(try await queue.add([job])[0] != ids[0])
        },
        .init("a job whose key has its older form in the queue is a duplicate as long as that one is kept") {
            queue, clock in
            let older = try await queue.add([NewQueueJob.sample().with { $0.dedupeKey = "order:whole" }])
            let job = NewQueueJob.sample().with { ($0.dedupeKey, $0.olderDedupeKey) = ("order:digest", "order:whole") }
            #expect(try await queue.add([job, job]) == older + older)
            #expect(try await queue.add([job], app: "bank") != older)
            clock.advance(by: .seconds(25 * 3600))
            #expect(try await queue.add([job]) == older, "the job still waits")
            for claimed in try await queue.startAll() { _ = try await queue.complete(claimed, .accepted) }
            let new = try await queue.add([job, .sample()])
            #expect(new[0] != older[0])
            #expect(try await queue.add([job]) == [new[0]])
            #expect(try await queue.job(new[0])?.dedupeKey == "order:digest")
        },
        .init("the same request is answered once, and its key refuses another one") { queue, clock in
            let key = QueueIdempotencyKey("k", digest: [1])
            let request = EnqueueRequest([.sample(), .sample()], app: "shop", idempotency: key)
            guard case .done(let results) = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(try await queue.enqueue(request) == .replayed(results))
            var other = request
            other.idempotency = QueueIdempotencyKey("k", digest: [2])
            #expect(try await queue.enqueue(other) == .conflict)
            other.app = "bank"
            guard case .done = try await queue.enqueue(other) else { throw Unexpected() }
            #expect(try await queue.claim().count == 2)
            clock.advance(by: .seconds(24 * 3600))
            guard case .done(let again) = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(again != results)
        },
        .init("all kinds of results are replayed") { queue, _ in
            let first = NewQueueJob.sample().with { $0.dedupeKey = "a" }
            var request = EnqueueRequest(
                [first, first, NewQueueJob(to: .device(""), payload: [1])], app: "shop",
                idempotency: QueueIdempotencyKey("k", digest: [1]))
            request.isAtomic = false
            guard case .done(let results) = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(try await queue.enqueue(request) == .replayed(results))
            #expect(results[2] == .invalid(.target))
        },
        .init("a reserved key is in progress for others, until it is answered, given up, or over") { queue, clock in
            let key = QueueIdempotencyKey("k", digest: [1])
            guard case .reserved(let mine) = try await queue.reserve(key, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
            #expect(try await queue.reserve(key, app: "shop", lasting: .seconds(60)) == .inProgress)
            var request = EnqueueRequest([.sample()], app: "shop", idempotency: key)
            #expect(try await queue.enqueue(request) == .inProgress)
            let other = QueueIdempotencyKey("k", digest: [2])
            #expect(try await queue.reserve(other, app: "shop", lasting: .seconds(60)) == .conflict)
            request.reservation = mine
            guard case .done(let results) = try await queue.enqueue(request) else { throw Unexpected() }
            #expect(try await queue.reserve(key, app: "shop", lasting: .seconds(60)) == .enqueued(results))

            let second = QueueIdempotencyKey("second", digest: [1])
            guard case .reserved(let given) = try await queue.reserve(second, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
            try await queue.release(second, app: "shop", reservation: given)
            guard case .reserved(let old) = try await queue.reserve(second, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
            clock.advance(by: .seconds(60))
            guard case .reserved = try await queue.reserve(second, app: "shop", lasting: .seconds(60)) else {
                throw Unexpected()
            }
            // Who reserved it before can't give it up any more.
            try await queue.release(second, app: "shop", reservation: old)
            #expect(try await queue.reserve(second, app: "shop", lasting: .seconds(60)) == .inProgress)
        },
    ]
}
