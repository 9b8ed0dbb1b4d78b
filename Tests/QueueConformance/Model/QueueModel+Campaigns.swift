import PushPlatform
import PushQueue

extension QueueModel {
    mutating func create(_ new: NewQueueCampaign, _ creation: QueueCampaignCreation) throws {
        apps.insert(new.app)
        if let key = new.key, let known = campaigns.values.first(where: { $0.app == new.app && $0.new.key == key }) {
            let isSame = (known.new.name, known.new.starts, known.new.expires) == (new.name, new.starts, new.expires)
            guard isSame else { return try require(creation == .conflict, "\(creation)") }
            guard case .existing(let campaign) = creation else { throw ModelMismatch("creating again got \(creation)") }
            return try require(campaign.id == known.id, "the key belongs to another campaign")
        }
        guard case .created(let campaign) = creation else { throw ModelMismatch("creating got \(creation)") }
        try require(campaigns[campaign.id] == nil, "the id of a campaign was given twice")
        campaigns[campaign.id] = ModelCampaign(
            id: campaign.id, new: new, rate: new.rate, created: now, level: (0, steady))
    }

    mutating func addLines(_ lines: [QueueCampaignLine], _ id: UUID, _ app: String, _ answer: QueueLinesAnswer) throws {
        guard let campaign = campaigns[id], campaign.app == app else {
            return try require(answer == .unknownCampaign, "lines of an unknown campaign got \(answer)")
        }
        let hasAll =
            !lines.isEmpty
            && lines.allSatisfy { campaign.lines[$0.number] != nil || campaign.refusals[$0.number] != nil }
        guard campaign.isOpen else {
            let expected = hasAll ? QueueLinesAnswer.done(lines.map { _ in .repeated }) : .closed(campaign.state)
            return try require(answer == expected, "\(answer)")
        }
        guard case .done(let results) = answer else { throw ModelMismatch("lines got \(answer)") }
        try require(results.count == lines.count, "\(results.count) results for \(lines.count) lines")
        for (line, result) in zip(lines, results) { try add(line, to: id, result) }
    }

    private mutating func add(_ line: QueueCampaignLine, to id: UUID, _ result: QueueLineResult) throws {
        guard let campaign = campaigns[id] else { return }
        campaigns[id]?.lastLine = max(campaign.lastLine, line.number)
        if campaign.lines[line.number] != nil {
            return try require(result == .repeated, "a repeated line got \(result)")
        }
        switch line.content {
        case .refused(let refusal):
            try require(result == .refused(refusal), "a refused line got \(result)")
            campaigns[id]?.refusals[line.number] = refusal
        case .job(let job):
            var expires: QueueTime?
            switch job.expiry {
            case .never: break
            case .at(let time): expires = time
            case .after(let duration): expires = now + duration
            }
            if let expires, expires <= now {
                guard case .refused(let refusal) = result else { throw ModelMismatch("an expired line got \(result)") }
                campaigns[id]?.refusals[line.number] = refusal
                return
            }
            guard case .held(let job) = result, jobs[job] == nil else { throw ModelMismatch("a line got \(result)") }
            try hold(line, as: job, in: campaign, expires)
        }
    }

    private mutating func hold(
        _ line: QueueCampaignLine, as id: UUID, in campaign: ModelCampaign, _ ownExpiry: QueueTime?
    ) throws {
        guard case .job(var job) = line.content else { return }
        (job.due, job.dedupeKey) = (.now, nil)
        var expires = ownExpiry
        if !isAfter(job.expiry), let end = campaign.new.expires { expires = min(expires ?? end, end) }
        jobs[id] = ModelJob(
            id: id, app: campaign.app, job: job, state: .held, due: now, isDueRelative: true, expires: expires,
            isExpiryRelative: isAfter(job.expiry), queued: now, line: (campaign.id, line.number))
        campaigns[campaign.id]?.lines[line.number] = id
        campaigns[campaign.id]?.refusals[line.number] = nil
    }

    // MARK: Changes

    mutating func change(_ id: UUID, _ app: String, _ change: QueueCampaignChange, _ answer: QueueCampaignAnswer) throws
    {
        guard let campaign = campaigns[id], campaign.app == app else {
            return try require(answer == .unknownCampaign, "changing an unknown campaign got \(answer)")
        }
        guard isPossible(change, campaign.state) else {
            return try require(answer == .impossible(campaign.state), "\(change) of \(campaign.state) got \(answer)")
        }
        guard case .done = answer else { throw ModelMismatch("\(change) of \(campaign.state) got \(answer)") }
        switch (change, campaign.state) {
        case (.start, .draft), (.resume, .paused):
            campaigns[id]?.state = .running
            campaigns[id]?.started = campaign.started ?? now
            campaigns[id]?.level = (0, steady)
        case (.pause, .running):
            campaigns[id]?.state = .paused
            for job in jobs.values where job.line?.campaign == id && job.state == .waiting {
                jobs[job.id]?.state = .held
            }
        case (.cancel, .draft), (.cancel, .running), (.cancel, .paused):
            campaigns[id]?.state = .cancelling
            campaigns[id]?.isOpen = false
        case (.rate(let rate), _):
            campaigns[id]?.level = (campaign.level(at: steady), steady)
            campaigns[id]?.rate = rate
        default: break
        }
        if change == .close || change == .start(closes: true) { campaigns[id]?.isOpen = false }
        endIfDone(id)
    }

    private func isPossible(_ change: QueueCampaignChange, _ state: QueueCampaignState) -> Bool {
        switch change {
        case .start: [.draft, .running].contains(state)
        case .pause, .resume: [.running, .paused].contains(state)
        case .cancel: state != .finished
        case .close, .rate: [.draft, .running, .paused].contains(state)
        }
    }

    mutating func cancelCampaigns(of app: String) {
        for (id, campaign) in campaigns where campaign.app == app && [.running, .paused].contains(campaign.state) {
            campaigns[id]?.state = .cancelling
            campaigns[id]?.isOpen = false
            endIfDone(id)
        }
    }

    /// The state of a job that a worker gives back.
    func stateOfReturned(_ id: UUID) -> QueueJobState {
        guard let line = jobs[id]?.line else { return .waiting }
        return campaigns[line.campaign]?.state == .running ? .waiting : .held
    }

    // MARK: Steps

    mutating func advance(_ id: UUID, _ app: String, ahead: Int, limit: Int, _ count: Int) throws {
        guard let campaign = campaigns[id], campaign.app == app else { return try require(count == 0, "\(count)") }
        switch campaign.state {
        case .draft, .cancelled, .finished: try require(count == 0, "\(count) lines of a campaign that stands still")
        case .cancelling: try endLines(id, "cancelled", limit, count)
        case .running, .paused:
            if let expires = campaign.new.expires, expires <= now {
                campaigns[id]?.isOpen = false
                try endLines(id, "expired", limit, count)
                return endIfDone(id)
            }
            let isDue = campaign.new.starts.map { $0 <= now } ?? true
            guard campaign.state == .running, isDue else { return try require(count == 0, "\(count) lines too early") }
            try release(campaign, ahead, limit, count)
        }
    }

    private func lines(of id: UUID, _ states: QueueJobState...) -> [ModelJob] {
        jobs.values.filter { $0.line?.campaign == id && states.contains($0.state) }.sorted {
            ($0.state.rawValue, $0.line?.number ?? 0) < ($1.state.rawValue, $1.line?.number ?? 0)
        }
    }

    private mutating func endLines(_ id: UUID, _ reason: String, _ limit: Int, _ count: Int) throws {
        let ended = lines(of: id, .waiting, .held).prefix(limit)
        try require(count == ended.count, "\(count) lines ended, not \(ended.count)")
        for job in ended { end(job.id, QueueJobOutcome(.notSent, reason: reason)) }
    }

    private mutating func release(_ campaign: ModelCampaign, _ ahead: Int, _ limit: Int, _ count: Int) throws {
        let id = campaign.id
        var maximum = min(limit, ahead - lines(of: id, .waiting, .leased, .started).count)
        if let rate = campaign.rate {
            let inFlight = lines(of: id, .waiting, .leased, .started).count
            maximum = min(
                maximum, Int(campaign.level(at: steady) / 1_000_000), max(10, rate.perThousandSeconds / 500) - inFlight)
        }
        let released = lines(of: id, .held).prefix(max(maximum, 0))
        try require(count == released.count, "\(count) lines were released, not \(released.count)")
        if campaign.rate != nil, count > 0 {
            campaigns[id]?.level = (campaign.level(at: steady) - Int64(count) * 1_000_000, steady)
        }
        for job in released { release(job, of: campaign) }
    }

    private mutating func release(_ job: ModelJob, of campaign: ModelCampaign) {
        var (due, expires) = (max(job.due, now), job.expires)
        if job.attempts == 0 {
            due = now
            if job.isExpiryRelative, let old = job.expires {
                expires = now + (old - job.due)
                if let end = campaign.new.expires { expires = min(expires ?? end, end) }
            }
        }
        if let expires, expires <= due { return end(job.id, QueueJobOutcome(.notSent, reason: "expired")) }
        jobs[job.id]?.state = .waiting
        jobs[job.id]?.due = due
        jobs[job.id]?.expires = expires
        jobs[job.id]?.isDueRelative = true
    }

    // MARK: Ending

    mutating func ended(_ number: Int, of id: UUID, _ outcome: QueueJobOutcome) {
        if outcome.kind != .accepted { campaigns[id]?.failures.insert(number) }
        campaigns[id]?.outcomes[outcome.kind, default: [:]][outcome.reason ?? "", default: 0] += 1
        endIfDone(id)
    }

    mutating func endIfDone(_ id: UUID) {
        guard let campaign = campaigns[id], !campaign.isOpen, !campaign.state.isEnd, campaign.state != .draft,
            !jobs.values.contains(where: { $0.line?.campaign == id && $0.isOpen })
        else { return }
        campaigns[id]?.state = campaign.state == .cancelling ? .cancelled : .finished
        campaigns[id]?.ended = now
        campaigns[id]?.endedAt = steady
    }

    mutating func dropCampaigns(_ duration: Duration, _ count: Int) throws {
        let latest = steady + (.zero - duration)
        let old = campaigns.values.filter { $0.endedAt.map { $0 <= latest } ?? false }
        let expected = old.reduce(0) { $0 + $1.lines.count + $1.refusals.count + $1.failures.count + 1 }
        try require(count == expected, "\(count) lines and campaigns were dropped, not \(expected)")
        for campaign in old { campaigns[campaign.id] = nil }
        for draft in campaigns.values where draft.state == .draft && draft.level.at <= latest {
            campaigns[draft.id]?.state = .cancelling
            campaigns[draft.id]?.isOpen = false
            endIfDone(draft.id)
        }
    }

    // MARK: Comparison

    func compareCampaigns(_ queue: any QueueBackend) async throws {
        for app in ModelRun.apps {
            let page = try await queue.campaigns(app: app, after: nil, limit: 1000)
            let mine = campaigns.values.filter { $0.app == app }
            try require(
                Set(page.items.map(\.id)) == Set(mine.map(\.id)) && page.items.count == mine.count,
                "\(app) has \(page.items.count) campaigns, not \(mine.count)")
        }
        let active = campaigns.values.filter { ![.draft, .cancelled, .finished].contains($0.state) }
        try require(
            Set(try await queue.activeCampaigns().map(\.id)) == Set(active.map(\.id)), "other campaigns are active")
        for campaign in campaigns.values { try await compare(campaign, queue) }
    }

    private func compare(_ campaign: ModelCampaign, _ queue: any QueueBackend) async throws {
        guard let found = try await queue.campaign(campaign.id, app: campaign.app) else {
            throw ModelMismatch("a campaign is missing")
        }
        var expected = QueueCampaign(
            id: campaign.id, app: campaign.app, name: campaign.new.name, created: campaign.created)
        (expected.state, expected.isOpen, expected.rate) = (campaign.state, campaign.isOpen, campaign.rate)
        (expected.starts, expected.expires) = (campaign.new.starts, campaign.new.expires)
        (expected.started, expected.ended) = (campaign.started, campaign.ended)
        (expected.settings, expected.lastLine) = (campaign.new.settings, campaign.lastLine)
        (expected.counts, expected.speed) = (counts(campaign), found.speed)
        try require(found == expected, "the queue has \(found), the model \(expected)")
        let outcomes = try await queue.outcomes(ofCampaign: campaign.id, app: campaign.app)
        var byKind: [QueueJobOutcome.Kind: [String: Int]] = [:]
        for outcome in outcomes { byKind[outcome.kind, default: [:]][outcome.reason ?? ""] = outcome.count }
        try require(byKind == campaign.outcomes, "the outcomes are \(byKind), not \(campaign.outcomes)")
        try await compareLines(campaign, queue)
    }

    private func counts(_ campaign: ModelCampaign) -> QueueCampaignCounts {
        var counts = QueueCampaignCounts()
        (counts.lines, counts.refused) = (campaign.lines.count, campaign.refusals.count)
        counts.held = lines(of: campaign.id, .held).count
        counts.waiting = lines(of: campaign.id, .waiting).count
        counts.inFlight = lines(of: campaign.id, .leased, .started).count
        func total(_ kind: QueueJobOutcome.Kind) -> Int { campaign.outcomes[kind]?.values.reduce(0, +) ?? 0 }
        (counts.accepted, counts.rejected) = (total(.accepted), total(.rejected))
        (counts.unknown, counts.notSent) = (total(.unknown), total(.notSent))
        return counts
    }

    private func compareLines(_ campaign: ModelCampaign, _ queue: any QueueBackend) async throws {
        for onlyFailures in [false, true] {
            var (found, query) = ([Int](), QueueCampaignLineQuery(campaign.id, app: campaign.app, limit: 4))
            query.onlyFailures = onlyFailures
            while case let page = try await queue.lines(query), let last = page.last {
                found += page.map(\.number)
                query.after = last.number
                for line in page {
                    switch line.content {
                    case .job(let job):
                        try require(campaign.lines[line.number] == job.id, "another job at \(line.number)")
                    case .dropped: try require(jobs[campaign.lines[line.number] ?? UUID()] == nil, "a job is missing")
                    case .refused(let why): try require(campaign.refusals[line.number] == why, "another refusal")
                    }
                }
            }
            let sent = onlyFailures ? campaign.failures : Set(campaign.lines.keys)
            let expected = sent.union(campaign.refusals.keys).sorted()
            try require(found == expected, "the lines are \(found), not \(expected)")
        }
    }
}
