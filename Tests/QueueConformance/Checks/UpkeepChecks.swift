import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let upkeep: [QueueConformance] = [
        .init("payloads are erased some time after the outcome; a dead letter cannot be sent again then") {
            queue, clock in
            let ids = try await queue.add((0..<3).map { NewQueueJob.sample($0).with { $0.variables = [1] } })
            _ = try await queue.bury(Array(ids[..<2]), app: "shop", detail: "x")
            #expect(try await queue.settled().erasePayloads(finishedBefore: .seconds(60), limit: 9) == 0)
            clock.advance(by: .seconds(60))
            #expect(try await queue.settled().erasePayloads(finishedBefore: .seconds(60), limit: 1) == 1)
            #expect(try await queue.settled().erasePayloads(finishedBefore: .seconds(60), limit: 9) == 1)
            #expect(try await queue.settled().erasePayloads(finishedBefore: .seconds(60), limit: 9) == 0)
            #expect(try await queue.jobs(ids, app: "shop").map(\.isErased) == [true, true, false])
            #expect(try await queue.redrive([ids[0]], app: "shop", expiry: .never) == [.erased])
            let claimed = try await queue.claim()
            #expect(claimed[0].payload == NewQueueJob.sample().payload && claimed[0].variables == [1])
        },
        .init("finished jobs are dropped some time after the outcome, in slices") { queue, clock in
            let ids = try await queue.add((0..<4).map { .sample($0) })
            _ = try await queue.bury(Array(ids[..<3]), app: "shop", detail: "x")
            #expect(try await queue.settled().dropFinished(before: .seconds(60), limit: 9) == 0)
            clock.advance(by: .seconds(60))
            #expect(try await queue.settled().dropFinished(before: .seconds(60), limit: 2) == 2)
            #expect(try await queue.settled().dropFinished(before: .seconds(60), limit: 2) == 1)
            #expect(try await queue.jobs(ids, app: "shop").map(\.id) == [ids[3]])
            let counts = try #require(try await queue.counts()["shop"])
            #expect(counts.kept == 0 && counts.deadLetters == 0 && counts.notSent == 3 && counts.waiting == 1)
        },
        .init("everything of a device token is erased") { queue, _ in
            let token = NewQueueJob.token(1)
            let mine = (0..<4).map { _ in NewQueueJob.sample(1) }
            let ids = try await queue.add(mine + [.sample(2)])
            let other = try await queue.add([NewQueueJob.sample(1).with { $0.dedupeKey = "d" }], app: "bank")
            let jobs = try await queue.claim(3)
            _ = try await queue.start(jobs[..<2].map(\.lease))
            _ = try await queue.complete(jobs[0], .accepted)
            try await queue.recordGone([GoneToken(token, since: .earliest)], app: "shop")
            #expect(try await queue.purge(token: token, app: "shop") == 4)
            #expect(try await queue.jobs(ids, app: "shop").map(\.id) == [ids[4]])
            #expect(try await queue.gone(among: [token], app: "shop").isEmpty)
            #expect(try await queue.job(other[0], app: "bank") != nil)
            #expect(try await queue.complete(jobs[1], .accepted) == .unknownJob)
            #expect(try await queue.purge(token: token, app: nil) == 1)
            #expect(try await queue.settled().results(of: ["shop"], after: .start, limit: 9).items.isEmpty)
            let counts = try #require(try await queue.counts()["shop"])
            #expect(counts.waiting + counts.leased == 1 && counts.started == 0 && counts.kept == 0)
            #expect(try await queue.add([NewQueueJob.sample(1).with { $0.dedupeKey = "d" }], app: "bank") != other)
        },
        .init("with a device token, the keys that belong to it are erased") { queue, _ in
            let (token, upper) = (NewQueueJob.token(10), NewQueueJob.token(10).uppercased())
            func add(_ numbers: [Int], _ key: String) async throws -> EnqueueAnswer {
                let jobs = numbers.map { NewQueueJob.sample($0) }
                return try await queue.enqueue(
                    EnqueueRequest(jobs, app: "shop", idempotency: QueueIdempotencyKey(key, digest: [1])))
            }
            guard case .done(let first) = try await add([10], "one"),
                case .done(let both) = try await add([10, 11], "two")
            else { throw Unexpected() }
            _ = try await add([12], upper)
            _ = try await queue.add([NewQueueJob.sample(13).with { $0.dedupeKey = token }])
            var campaign = NewQueueCampaign("sale", app: "shop")
            campaign.key = token
            _ = try await queue.createCampaign(campaign)
            #expect(try await queue.purge(token: token, app: nil) == 2)
            guard case .done(let again) = try await add([10], "one") else { throw Unexpected() }
            #expect(again != first, "a new job, and not the id of the erased one")
            // One of its jobs is still there, and must not be sent twice.
            #expect(try await add([10, 11], "two") == .replayed(both))
            guard case .done = try await add([12], upper), case .created = try await queue.createCampaign(campaign)
            else { throw Unexpected() }
            #expect(try await queue.add([NewQueueJob.sample(14).with { $0.dedupeKey = token }]).count == 1)
            #expect(try await queue.counts()["shop"]?.waiting == 6)
        },
        .init("with a device token, the digests of its lines of campaigns are erased") { queue, _ in
            guard case .created(let campaign) = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop"))
            else { throw Unexpected() }
            func line(_ number: Int, digest: UInt8) -> QueueCampaignLine {
                var line = QueueCampaignLine(number, .job(.sample(number)))
                line.digest = [digest]
                return line
            }
            let given = (1...3).map { line($0, digest: UInt8($0)) }
            _ = try await queue.addLines(given, to: campaign.id, app: "shop")
            #expect(try await queue.purge(token: NewQueueJob.token(2), app: nil) == 1)
            // Without a digest, a line is known by its number, and is not sent again.
            #expect(
                try await queue.addLines([line(2, digest: 9)], to: campaign.id, app: "shop") == .done([.repeated]))
            #expect(try await queue.addLines([line(3, digest: 9)], to: campaign.id, app: "shop") == .different(3))
            let counts = try #require(try await queue.campaign(campaign.id, app: "shop")?.counts)
            #expect(counts.lines == 3 && counts.held == 2)
        },
        .init("a device token in upper-case letters is the same device") { queue, _ in
            let upper = "ABCDEF0123456789"
            let ids = try await queue.add([NewQueueJob(to: .device(upper), payload: [1])])
            #expect(try await queue.claim().map(\.target) == [.device(upper.lowercased())])
            try await queue.recordGone([GoneToken(upper, since: .earliest)], app: "shop")
            #expect(try await queue.gone(among: [upper, upper.lowercased()], app: "shop").count == 2)
            #expect(try await queue.purge(token: upper.lowercased(), app: nil) == 1)
            #expect(try await queue.jobs(ids, app: "shop").isEmpty)
            #expect(try await queue.gone(among: [upper], app: "shop").isEmpty)
        },
        .init("everything of an app is erased") { queue, _ in
            let key = QueueIdempotencyKey("k", digest: [1])
            let job = NewQueueJob.sample().with { $0.dedupeKey = "d" }
            _ = try await queue.enqueue(EnqueueRequest([job, .sample(1), .sample(2)], app: "shop", idempotency: key))
            _ = try await queue.add([.sample()], app: "bank")
            _ = try await queue.claim(1)
            #expect(try await queue.purge(app: "shop", limit: 2) == 2)
            #expect(try await queue.purge(app: "shop", limit: 2) == 1)
            #expect(try await queue.counts().keys.sorted() == ["bank"])
            let again = EnqueueRequest([job], app: "shop", idempotency: key)
            guard case .done(let results) = try await queue.enqueue(again) else { throw Unexpected() }
            guard case .queued = results[0] else { throw Unexpected() }
            #expect(try await queue.claim().count == 1)
        },
        .init("old keys are dropped") { queue, clock in
            let job = NewQueueJob.sample().with { $0.dedupeKey = "d" }
            _ = try await queue.enqueue(
                EnqueueRequest([job], app: "shop", idempotency: QueueIdempotencyKey("k", digest: [1])))
            _ = try await queue.complete(try await queue.startAll()[0], .accepted)
            #expect(try await queue.dropKeys(limit: 9) == 0)
            clock.advance(by: .seconds(24 * 3600))
            #expect(try await queue.dropKeys(limit: 9) == 2)
        },
    ]
}
