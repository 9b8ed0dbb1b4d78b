import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let campaigns: [QueueConformance] = [
        .init("held lines are not claimed before they are released, and then in order") { queue, _ in
            let id = try await queue.campaign(lines: 1...6)
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.nextDue(of: ["shop"]) == nil)
            #expect(try await queue.counts()["shop"]?.held == 6)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 4, limit: 100) == 4)
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 4, limit: 100) == 0, "4 are released")
            #expect(try await queue.claim().map(\.target) == (1...4).map { .device(NewQueueJob.token($0)) })
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 1) == 1)
        },
        .init("the newest outcomes of a campaign are listed, with filters, and those of nothing else") { queue, clock in
            let id = try await queue.campaign(lines: 1...9)
            let other = try await queue.campaign(lines: 1...2)
            for each in [id, other] {
                _ = try await queue.changeCampaign(each, app: "shop", .start(closes: true))
                #expect(try await queue.advanceCampaign(each, app: "shop", ahead: 100, limit: 100) > 0)
            }
            _ = try await queue.add([.sample(50), .sample(51)])
            let reasons: [QueueJobOutcome] = [
                .accepted, QueueJobOutcome(.rejected, reason: "Unregistered"),
                QueueJobOutcome(.rejected, reason: "BadDeviceToken"),
            ]
            for (number, job) in try await queue.startAll().enumerated() {
                _ = try await queue.complete(job, reasons[number % 3])
                clock.advance(by: .seconds(1))
            }
            var outcomes: [QueueJobRecord] = []
            var everything = QueueNewestQuery(of: ["shop"], limit: 100)
            outcomes = try await queue.newest(everything).items
            #expect(outcomes.count == 13)
            everything.campaign = id
            #expect(try await queue.newest(everything).items.count == 9)
            for campaign in [id, other, UUID()] {
                for kind in [nil, QueueJobOutcome.Kind.accepted, .rejected, .unknown] {
                    for reason in [nil, "Unregistered", "none"] {
                        var query = QueueNewestQuery(of: ["shop", "bank"], limit: 2)
                        (query.campaign, query.kind, query.reason) = (campaign, kind, reason)
                        var found: [UUID] = []
                        repeat {
                            let page = try await queue.newest(query)
                            found += page.items.map(\.id)
                            query.before = page.next
                        } while query.before != nil
                        let wanted = outcomes.filter { job in
                            job.campaign == campaign && kind.map { $0 == job.outcome?.kind } ?? true
                                && reason.map { $0 == job.outcome?.reason } ?? true
                        }
                        #expect(found == wanted.map(\.id), "\(kind as Any) \(reason as Any)")
                    }
                }
            }
            // To another app it is as if there were no such campaign.
            var foreign = QueueNewestQuery(of: ["bank"], limit: 2)
            foreign.campaign = id
            #expect(try await queue.newest(foreign).items.isEmpty)
        },
        .init("the same lines again change nothing, also lines whose job was dropped") { queue, clock in
            let id = try await queue.campaign(lines: 1...3)
            let again = try await queue.addLines((1...4).map { .sample($0) }, to: id, app: "shop")
            guard case .done(let results) = again else { throw Unexpected() }
            #expect(results[..<3].allSatisfy { $0 == .repeated } && results[3] != .repeated)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: false))
            try await queue.finishAll(id)
            clock.advance(by: .seconds(100))
            #expect(try await queue.settled().dropFinished(before: .seconds(50), limit: 100) == 4)
            guard case .done(let late) = try await queue.addLines([.sample(2)], to: id, app: "shop") else {
                throw Unexpected()
            }
            #expect(late == [.repeated])
            #expect(try await queue.campaign(id, app: "shop")?.counts.lines == 4)
        },
        .init("further pushes of a line come with it, behind all lines, and once") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            var line = QueueCampaignLine.sample(2).with(digest: [2])
            line.others = [.sample(20), .sample(21)]
            guard case .done(let results) = try await queue.addLines([line, .sample(3)], to: id, app: "shop"),
                results.allSatisfy({ if case .held = $0 { true } else { false } })
            else { throw Unexpected() }
            // The user has other devices when the line comes again.
            line.others = [.sample(21), .sample(22), .sample(23)]
            #expect(try await queue.addLines([line], to: id, app: "shop") == .done([.repeated]))
            let campaign = try await queue.campaign(id, app: "shop")
            #expect(campaign?.counts.lines == 5 && campaign?.lastLine == 3)
            let (second, third) = (QueueCampaignLine.kept(2, 1), QueueCampaignLine.kept(2, 2))
            let kept = try await queue.lines(QueueCampaignLineQuery(id, app: "shop"))
            #expect(kept.map(\.number) == [1, 2, 3, second, third])
            #expect([second, third].map(QueueCampaignLine.line(ofKept:)) == [2, 2])
            let after = try await queue.lines(QueueCampaignLineQuery(id, app: "shop", after: second))
            #expect(after.map(\.number) == [third])
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 100) == 5)
            let tokens = [1, 2, 3, 20, 21].map { QueueJobTarget.device(NewQueueJob.token($0)) }
            #expect(Set(try await queue.claim().map(\.target)) == Set(tokens))
        },
        .init("a refused line is kept with its reason, until a corrected one of the same number comes") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            let refusal = QueueLineRefusal(code: "invalid_line", detail: "why", field: "token", remedy: "how")
            _ = try await queue.addLines([QueueCampaignLine(2, .refused(refusal))], to: id, app: "shop")
            _ = try await queue.addLines([QueueCampaignLine(2, .refused(refusal))], to: id, app: "shop")
            #expect(try await queue.campaign(id, app: "shop")?.counts.refused == 1)
            let query = QueueCampaignLineQuery(id, app: "shop", onlyFailures: true)
            #expect(try await queue.lines(query) == [QueueCampaignLineRecord(2, .refused(refusal))])
            _ = try await queue.addLines([.sample(2)], to: id, app: "shop")
            let campaign = try await queue.campaign(id, app: "shop")
            #expect(campaign?.counts.refused == 0 && campaign?.counts.lines == 2 && campaign?.lastLine == 2)
            #expect(try await queue.lines(query).isEmpty)
        },
        .init("another line of the same number is noticed, and nothing that comes with it is added") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            let refusal = QueueLineRefusal(code: "invalid_line", detail: "why")
            let given = [QueueCampaignLine.sample(2).with(digest: [1]), .sample(3).with(digest: [2])]
            _ = try await queue.addLines(given, to: id, app: "shop")
            _ = try await queue.addLines([.refused(4, refusal, digest: [4])], to: id, app: "shop")
            let before = try await queue.campaign(id, app: "shop")
            let other = [QueueCampaignLine.sample(5).with(digest: [5]), .sample(3).with(digest: [9])]
            #expect(try await queue.addLines(other, to: id, app: "shop") == .different(3))
            // A line that can no longer be sent is another line, too.
            #expect(try await queue.addLines([.refused(2, refusal, digest: [9])], to: id, app: "shop") == .different(2))
            var strict = QueueCampaignLine.sample(4).with(digest: [9])
            strict.replacesRefused = false
            #expect(try await queue.addLines([strict], to: id, app: "shop") == .different(4))
            #expect(try await queue.campaign(id, app: "shop") == before)
            // The same line in whatever state, and lines without a digest, are those that the campaign has.
            let same = [
                QueueCampaignLine.refused(2, refusal, digest: [1]), .sample(3).with(digest: [2]),
                .sample(1).with(digest: [8]),
                .sample(2),
            ]
            #expect(
                try await queue.addLines(same, to: id, app: "shop")
                    == .done([.repeated, .repeated, .repeated, .repeated]))
            strict.replacesRefused = true
            guard case .done(let results) = try await queue.addLines([strict], to: id, app: "shop"),
                case .held = results[0]
            else { throw Unexpected() }
        },
        .init("a closed campaign knows its lines, and takes no other one") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            let refusal = QueueLineRefusal(code: "invalid_line", detail: "why")
            let lines = [QueueCampaignLine.sample(2).with(digest: [2]), .refused(3, refusal, digest: [3])]
            _ = try await queue.addLines(lines, to: id, app: "shop")
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            #expect(try await queue.addLines(lines, to: id, app: "shop") == .done([.repeated, .repeated]))
            #expect(try await queue.addLines([.sample(3).with(digest: [9])], to: id, app: "shop") == .different(3))
            #expect(try await queue.addLines(lines + [.sample(4)], to: id, app: "shop") == .closed(.running))
            #expect(try await queue.campaign(id, app: "shop")?.counts.refused == 1)
        },
        .init("refused lines are limited, and their texts are cut") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            let long = QueueLineRefusal(code: "invalid_line", detail: String(repeating: "é", count: 5000))
            let many = (2...(QueueCampaign.maximumRefused + 2)).map { QueueCampaignLine.refused($0, long, digest: []) }
            #expect(try await queue.addLines(many, to: id, app: "shop") == .tooManyRefused(.ofCampaign))
            #expect(try await queue.campaign(id, app: "shop")?.counts.refused == 0)
            _ = try await queue.addLines(Array(many[..<2]), to: id, app: "shop")
            let stored = try await queue.lines(QueueCampaignLineQuery(id, app: "shop", onlyFailures: true))
            guard case .refused(let refusal)? = stored.first?.content else { throw Unexpected() }
            #expect(stored.count == 2 && refusal.detail.utf8.count <= 260)
        },
        .init("an app has a limited number of campaigns that haven't ended") { queue, _ in
            for _ in 0..<(QueueCampaign.maximumUnfinished / 50) {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<50 {
                        tasks.addTask { _ = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop")) }
                    }
                    try await tasks.waitForAll()
                }
            }
            var new = NewQueueCampaign("sale", app: "shop")
            new.key = "key"
            #expect(try await queue.createCampaign(new) == .tooMany)
            let first = try #require(try await queue.campaigns(app: "shop", after: nil, limit: 1).items.first)
            _ = try await queue.changeCampaign(first.id, app: "shop", .cancel)
            guard case .created(let made) = try await queue.createCampaign(new) else { throw Unexpected() }
            #expect(try await queue.createCampaign(new) == .existing(made), "a repeated request is answered")
            guard case .created = try await queue.createCampaign(NewQueueCampaign("sale", app: "bank")) else {
                throw Unexpected()
            }
        },
        .init("the campaigns that are not ended are listed without their settings") { queue, _ in
            let new = NewQueueCampaign("sale", app: "shop", settings: [UInt8](repeating: 1, count: 1000))
            guard case .created(let campaign) = try await queue.createCampaign(new) else { throw Unexpected() }
            _ = try await queue.changeCampaign(campaign.id, app: "shop", .start(closes: false))
            #expect(try await queue.activeCampaigns().map(\.settings) == [[]])
            #expect(try await queue.campaign(campaign.id, app: "shop")?.settings == new.settings)
        },
        .init("a campaign keeps its rate, however often and by whomever it is advanced") { queue, clock in
            let id = try await queue.campaign(lines: 1...500, rate: 40)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            var released = 0
            for _ in 0..<100 {
                clock.advance(by: .milliseconds(50))
                for _ in 0..<3 {
                    released += try await queue.advanceCampaign(id, app: "shop", ahead: 1000, limit: 1000)
                }
                for job in try await queue.startAll() { _ = try await queue.complete(job, .accepted) }
            }
            #expect(released == 200, "40 in each of 5 seconds")
            clock.advance(by: .seconds(60))
            released = try await queue.advanceCampaign(id, app: "shop", ahead: 1000, limit: 1000)
            #expect(released == 8, "what nobody released is not made up for")
            _ = try await queue.changeCampaign(id, app: "shop", .rate(nil))
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 1000, limit: 1000) == 292)
        },
        .init("after a time in which the app could not send, few lines of a campaign with a rate go at once") {
            queue, clock in
            let id = try await queue.campaign(lines: 1...500, rate: 40)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            var released = 0
            for _ in 0..<100 {
                clock.advance(by: .milliseconds(50))
                released += try await queue.advanceCampaign(id, app: "shop", ahead: 1000, limit: 1000)
            }
            #expect(released == 80, "those of two seconds")
        },
        .init("a pause holds the lines that wait, and those that come back") { queue, _ in
            let id = try await queue.campaign(lines: 1...5)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            _ = try await queue.advanceCampaign(id, app: "shop", ahead: 4, limit: 100)
            let jobs = try await queue.claim(2)
            _ = try await queue.start(jobs.map(\.lease))
            guard case .done(let paused) = try await queue.changeCampaign(id, app: "shop", .pause) else {
                throw Unexpected()
            }
            #expect(paused.counts.held == 3 && paused.counts.waiting == 0 && paused.counts.inFlight == 2)
            #expect(try await queue.claim().isEmpty)
            _ = try await queue.retry([QueueJobRetry(jobs[0].lease, due: .after(.zero), reason: "again")])
            #expect(try await queue.complete(jobs[1], .accepted) == .done)
            #expect(try await queue.claim().isEmpty)
            #expect(try await queue.job(jobs[0].id)?.state == .held)
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 100) == 0)
            _ = try await queue.changeCampaign(id, app: "shop", .resume)
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 100) == 4)
        },
        .init("a cancelled campaign ends what was not started, in slices") { queue, _ in
            let id = try await queue.campaign(lines: 1...5)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: false))
            _ = try await queue.advanceCampaign(id, app: "shop", ahead: 2, limit: 100)
            let jobs = try await queue.claim(1)
            _ = try await queue.start(jobs.map(\.lease))
            _ = try await queue.changeCampaign(id, app: "shop", .cancel)
            #expect(try await queue.addLines([.sample(9)], to: id, app: "shop") == .closed(.cancelling))
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 3) == 3)
            #expect(try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 3) == 1)
            #expect(try await queue.campaign(id, app: "shop")?.state == .cancelling)
            _ = try await queue.complete(jobs[0], .accepted)
            let campaign = try await queue.campaign(id, app: "shop")
            #expect(campaign?.state == .cancelled && campaign?.counts.notSent == 4 && campaign?.counts.accepted == 1)
            #expect(try await queue.activeCampaigns().isEmpty)
        },
        .init("a campaign ends with its last outcome, and counts outcomes by reason") { queue, _ in
            let id = try await queue.campaign(lines: 1...3)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            _ = try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 100)
            let jobs = try await queue.startAll()
            _ = try await queue.complete(jobs[0], .accepted)
            _ = try await queue.complete(jobs[1], QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
            #expect(try await queue.campaign(id, app: "shop")?.state == .running)
            _ = try await queue.complete(jobs[2], QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
            #expect(try await queue.campaign(id, app: "shop")?.state == .finished)
            #expect(
                try await queue.outcomes(ofCampaign: id, app: "shop") == [
                    QueueCampaignOutcome(.rejected, reason: "BadDeviceToken", count: 2),
                    QueueCampaignOutcome(.accepted, reason: nil, count: 1),
                ])
            let failed = try await queue.lines(QueueCampaignLineQuery(id, app: "shop", onlyFailures: true))
            #expect(failed.map(\.number) == [2, 3])
            #expect(try await queue.job(jobs[0].id)?.campaign == id && jobs[0].lease.app == "shop")
        },
        .init("a campaign of which no line is left is not ended while it is open, or was never started") { queue, _ in
            let id = try await queue.campaign(lines: 1...1)
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: false))
            try await queue.finishAll(id)
            #expect(try await queue.campaign(id, app: "shop")?.state == .running)
            _ = try await queue.changeCampaign(id, app: "shop", .close)
            #expect(try await queue.campaign(id, app: "shop")?.state == .finished)
        },
        .init("the time to live of a line begins when it is released") { queue, clock in
            let id = try await queue.campaign(lines: 1...1) { $0.expiry = .after(.seconds(60)) }
            clock.advance(by: .seconds(3600))
            _ = try await queue.changeCampaign(id, app: "shop", .start(closes: true))
            _ = try await queue.advanceCampaign(id, app: "shop", ahead: 100, limit: 100)
            let job = try #require(try await queue.claim().first)
            #expect(job.expires == clock.now + .seconds(60) && job.due == clock.now)
        },
        .init("a campaign starts at its time, and its lines end at its expiry, also while it is paused") {
            queue, clock in
            var new = NewQueueCampaign("sale", app: "shop")
            (new.starts, new.expires) = (clock.now + .seconds(60), clock.now + .seconds(120))
            guard case .created(let campaign) = try await queue.createCampaign(new) else { throw Unexpected() }
            _ = try await queue.addLines((1...3).map { .sample($0) }, to: campaign.id, app: "shop")
            _ = try await queue.changeCampaign(campaign.id, app: "shop", .start(closes: true))
            #expect(try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 1, limit: 100) == 0)
            clock.advance(by: .seconds(60))
            #expect(try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 1, limit: 100) == 1)
            _ = try await queue.changeCampaign(campaign.id, app: "shop", .pause)
            clock.advance(by: .seconds(60))
            #expect(try await queue.advanceCampaign(campaign.id, app: "shop", ahead: 1, limit: 100) == 3)
            let ended = try await queue.campaign(campaign.id, app: "shop")
            #expect(ended?.state == .finished && ended?.counts.notSent == 3)
        },
        .init("a key makes a campaign once") { queue, _ in
            var new = NewQueueCampaign("sale", app: "shop", settings: [1])
            new.key = "key"
            guard case .created(let first) = try await queue.createCampaign(new) else { throw Unexpected() }
            #expect(try await queue.createCampaign(new) == .existing(first))
            new.name = "other"
            #expect(try await queue.createCampaign(new) == .conflict)
            new.app = "bank"
            guard case .created = try await queue.createCampaign(new) else { throw Unexpected() }
        },
        .init("a campaign of another app is not seen") { queue, _ in
            let id = try await queue.campaign(lines: 1...2)
            _ = try await queue.add([.sample()], app: "bank")
            #expect(try await queue.campaign(id, app: "bank") == nil)
            #expect(try await queue.addLines([.sample(3)], to: id, app: "bank") == .unknownCampaign)
            #expect(try await queue.changeCampaign(id, app: "bank", .cancel) == .unknownCampaign)
            #expect(try await queue.lines(QueueCampaignLineQuery(id, app: "bank")).isEmpty)
            #expect(try await queue.campaigns(app: "bank", after: nil, limit: 10).items.isEmpty)
        },
        .init("campaigns are listed page by page, the newest first, and dropped after they ended") { queue, clock in
            var ids: [UUID] = []
            for _ in 0..<5 { ids.append(try await queue.campaign(lines: 1...2)) }
            var (found, cursor) = ([UUID](), String?.none)
            repeat {
                let page = try await queue.campaigns(app: "shop", after: cursor, limit: 2)
                (found, cursor) = (found + page.items.map(\.id), page.next)
            } while cursor != nil
            #expect(found == ids.reversed())
            _ = try await queue.changeCampaign(ids[0], app: "shop", .start(closes: true))
            try await queue.finishAll(ids[0])
            clock.advance(by: .seconds(100))
            #expect(try await queue.dropCampaigns(endedBefore: .seconds(200), limit: 100) == 0)
            #expect(try await queue.dropCampaigns(endedBefore: .seconds(50), limit: 1) == 1)
            #expect(try await queue.dropCampaigns(endedBefore: .seconds(50), limit: 100) == 2)
            #expect(try await queue.campaign(ids[0], app: "shop") == nil)
            let drafts = try await queue.campaigns(app: "shop", after: nil, limit: 10).items
            #expect(drafts.count == 4 && drafts.allSatisfy { $0.state == .cancelling }, "nobody has started them")
        },
        .init("all that could be sent is cancelled with everything of an app") { queue, _ in
            let (started, draft) = (try await queue.campaign(lines: 1...3), try await queue.campaign(lines: 1...3))
            _ = try await queue.changeCampaign(started, app: "shop", .start(closes: true))
            _ = try await queue.advanceCampaign(started, app: "shop", ahead: 1, limit: 10)
            #expect(try await queue.cancelAll(app: "shop", limit: 2).total == 2)
            #expect(try await queue.cancelAll(app: "shop", limit: 2).total == 1)
            #expect(try await queue.campaign(started, app: "shop")?.state == .cancelled)
            #expect(try await queue.campaign(draft, app: "shop")?.state == .draft)
        },
    ]
}

extension QueueCampaignLine {
    fileprivate static func refused(
        _ number: Int, _ refusal: QueueLineRefusal, digest: [UInt8]
    ) -> QueueCampaignLine {
        QueueCampaignLine(number, .refused(refusal)).with(digest: digest)
    }

    fileprivate func with(digest: [UInt8]) -> QueueCampaignLine {
        var line = self
        line.digest = digest
        return line
    }

    fileprivate static func sample(_ number: Int, _ change: (inout NewQueueJob) -> Void = { _ in }) -> QueueCampaignLine
    {
        QueueCampaignLine(number, .job(NewQueueJob.sample(number).with(change)))
    }
}

extension QueueBackend {
    /// Makes a campaign with lines, and returns its id.
    fileprivate func campaign(
        lines: ClosedRange<Int>, rate: Double? = nil, _ change: (inout NewQueueJob) -> Void = { _ in }
    ) async throws -> UUID {
        var new = NewQueueCampaign("sale", app: "shop")
        new.rate = rate.flatMap { QueueCampaignRate(perSecond: $0) }
        guard case .created(let campaign) = try await createCampaign(new) else { throw Unexpected() }
        let answer = try await addLines(lines.map { .sample($0, change) }, to: campaign.id, app: "shop")
        guard case .done(let results) = answer, results.count == lines.count else { throw Unexpected() }
        return campaign.id
    }

    /// Lets Apple accept all lines of a campaign that runs.
    fileprivate func finishAll(_ campaign: UUID) async throws {
        _ = try await advanceCampaign(campaign, app: "shop", ahead: 1000, limit: 1000)
        for job in try await startAll() { _ = try await complete(job, .accepted) }
    }
}
