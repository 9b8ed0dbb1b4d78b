import PushPlatform
import PushQueue

/// The next steps of campaigns.
extension PostgresTransaction {
    func advanceCampaign(_ id: UUID, app: String, ahead: Int, limit: Int) throws(QueueError) -> Int {
        // If another worker is doing the next step, do not wait for it.
        guard let campaign = try lockCampaign(id, app: app, waits: false) else { return 0 }
        // Workers that end the last lines at the same time do not see each other's lines, so this step checks for the end.
        if !campaign.state.isEnd { changes.campaign(campaign.row) }
        switch campaign.advance(at: now) {
        case .nothing: return 0
        case .cancel: return try endLines(of: campaign.row, as: QueueJobOutcome.cancelled, limit: limit)
        case .expire: return try expire(campaign, limit: limit)
        case .release: return try release(campaign, ahead: ahead, limit: limit)
        }
    }

    private func expire(_ campaign: PostgresCampaign, limit: Int) throws(QueueError) -> Int {
        if campaign.isOpen { perform(.closeCampaign, campaign.row) }
        return try endLines(of: campaign.row, as: QueueJobOutcome.expired, limit: limit)
    }

    private func endLines(of campaign: Int32, as reason: String, limit: Int) throws(QueueError) -> Int {
        let rows = try query(.linesToEnd, campaign, limit)
        let keys = rows.map { PostgresJobKey(app: $0.int4(0), id: $0.uuid(1)) }
        // A job that is locked ends with a later step.
        let jobs = try lock(keys, waits: false)
        var count = 0
        for key in keys {
            guard let job = jobs[key], job.state == .waiting || job.state == .held else { continue }
            finish(job, QueueJobOutcome(.notSent, reason: reason))
            count += 1
        }
        return count
    }

    func heldLines(ofCancelledCampaignsOf app: Int32, limit: Int) throws(QueueError) -> [PostgresJobKey] {
        var keys: [PostgresJobKey] = []
        let rows = try query(.cancellingCampaigns, app).map { $0.int4(0) }
        for campaign in rows where keys.count < limit {
            keys += try query(.heldLines, campaign, PostgresValue.int8(Int64(limit - keys.count))).map {
                PostgresJobKey(app: $0.int4(0), id: $0.uuid(1))
            }
        }
        return keys
    }

    // MARK: Releasing

    private func release(_ stored: PostgresCampaign, ahead: Int, limit: Int) throws(QueueError) -> Int {
        var campaign = stored
        campaign.released = try query(.releasedLines, campaign.row).first?.number(0) ?? 0
        let count = campaign.releasable(
            limit: limit, ahead: ahead, pending: changes.campaigns[campaign.row], at: steady)
        guard count > 0 else { return 0 }
        let lines = try query(.linesToRelease, campaign.row, count).map {
            (
                id: $0.uuid(0),
                times: HeldLineTimes(
                    due: $0.time(1), expires: $0.integer(2),
                    isExpiryRelative: $0.bool(3), attempts: $0.number(4))
            )
        }
        guard !lines.isEmpty else { return 0 }
        try release(lines, of: campaign)
        if campaign.rate != nil {
            campaign.bucket.take(lines.count)
            perform(.setBucket, [.int4(campaign.row)] + campaign.bucket.values)
        }
        return lines.count
    }

    private func release(
        _ lines: [(id: UUID, times: HeldLineTimes)], of campaign: PostgresCampaign
    ) throws(QueueError) {
        let released = lines.compactMap { line in
            line.times.released(at: now, end: campaign.expires).map { (id: line.id, times: $0) }
        }
        perform(
            .releaseLines, campaign.app, released.map(\.id), released.map(\.times.due.milliseconds),
            released.map(\.times.expires))
        for line in released { changes.waits(campaign.app, due: line.times.due) }
        changes.move(campaign.app, from: .held, to: .waiting, campaign: campaign.row, count: released.count)
        guard released.count < lines.count else { return }
        let expired = Set(lines.map(\.id)).subtracting(released.map(\.id))
        for job in try lock(Array(expired), app: campaign.app).values {
            finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
        }
    }

    // MARK: Counters

    /// Writes the counters of campaigns, and ends those whose last line has its outcome.
    func flushCampaigns() throws(QueueError) {
        for (row, step) in changes.campaigns.sorted(by: { $0.key < $1.key }) {
            var window = changes.windows[row] ?? cache.windows[row] ?? .empty
            if step.counts.finished > 0 { window.add(step.counts.finished, at: steady) }
            changes.windows[row] = window
            let counts = step.counts
            let numbers = [
                Int(step.lastLine), counts.lines, counts.refused, counts.held, counts.waiting, counts.inFlight,
                counts.accepted, counts.rejected, counts.unknown, counts.notSent, Int(window.begin.milliseconds),
                Int(window.count), Int(window.last),
            ]
            perform(.addCampaignCounts, [.int4(row), .int2(slot)] + numbers.map { .int8(Int64($0)) })
            for (outcome, count) in step.outcomes { try add(count, of: outcome, to: row) }
            perform(.endCampaign, row, now, steady)
        }
    }

    private func add(_ count: Int, of outcome: CampaignStep.Outcome, to campaign: Int32) throws(QueueError) {
        var outcome = outcome
        if cache.reasons[campaign]?.contains(outcome) != true {
            let known = try query(.reasons, campaign).map { row in
                CampaignStep.Outcome(
                    kind: QueueJobOutcome.Kind(rawValue: row.number(0)) ?? .unknown, reason: row.text(1))
            }
            if known.count >= QueueCampaignOutcome.maximumReasons, !known.contains(outcome) {
                outcome.reason = "other"
            }
            if cache.reasons.count > 1000 { cache.reasons.removeAll() }
            cache.reasons[campaign] = Set(known).union([outcome])
        }
        perform(.addOutcomes, campaign, slot, Int16(outcome.kind.rawValue), outcome.reason, count)
    }
}

extension SpeedWindow {
    fileprivate static let empty = SpeedWindow(begin: SteadyTime(milliseconds: 0), count: 0, last: 0)
}

extension PostgresText {
    fileprivate static let linesToEnd: PostgresText = """
        (SELECT app, id FROM job WHERE campaign = $1::int4 AND is_waiting AND campaign IS NOT NULL LIMIT $2::int8)
        UNION ALL
        (SELECT app, id FROM job WHERE campaign = $1::int4 AND is_held ORDER BY line LIMIT $2::int8)
        LIMIT $2::int8
        """
    fileprivate static let heldLines = PostgresText(
        "SELECT app, id FROM job WHERE campaign = $1::int4 AND is_held ORDER BY line LIMIT $2::int8")
    fileprivate static let cancellingCampaigns = PostgresText(
        "SELECT id FROM campaign WHERE app = $1::int4 AND state = 3 ORDER BY id")
    fileprivate static let releasedLines = PostgresText(
        "SELECT coalesce(sum(waiting + in_flight), 0)::int8 FROM campaign_count WHERE campaign = $1::int4")
    static let linesToRelease: PostgresText = """
        SELECT id, due, expires, is_expiry_relative, attempts FROM job
        WHERE campaign = $1::int4 AND is_held ORDER BY line LIMIT $2::int8 FOR UPDATE SKIP LOCKED
        """
    fileprivate static let releaseLines: PostgresText = """
        UPDATE job SET state = 0, is_waiting = true, is_held = false, due = l.due, expires = l.expires,
            is_due_relative = true
        FROM (
            SELECT found.row, given.due, given.expires
            FROM unnest($2::uuid[], $3::int8[], $4::int8[]) AS given (id, due, expires) CROSS JOIN LATERAL (
                SELECT ctid AS row FROM job WHERE app = $1::int4 AND job.id = given.id OFFSET 0) AS found
            OFFSET 0
        ) AS l
        WHERE job.ctid = l.row
        """
    fileprivate static let setBucket = PostgresText(
        "UPDATE campaign SET level = $2::int8, level_at = $3::int8 WHERE id = $1::int4")
    fileprivate static let addCampaignCounts: PostgresText = """
        INSERT INTO campaign_count AS c VALUES ($1::int4, $2::int2, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int8,
            $9::int8, $10::int8, $11::int8, $12::int8, $13::int8, $14::int8, $15::int8)
        ON CONFLICT (campaign, slot) DO UPDATE SET last_line = greatest(c.last_line, excluded.last_line),
            lines = c.lines + excluded.lines, refused = c.refused + excluded.refused, held = c.held + excluded.held,
            waiting = c.waiting + excluded.waiting, in_flight = c.in_flight + excluded.in_flight,
            accepted = c.accepted + excluded.accepted, rejected = c.rejected + excluded.rejected,
            unknown = c.unknown + excluded.unknown, not_sent = c.not_sent + excluded.not_sent,
            window_at = excluded.window_at, window_count = excluded.window_count, window_rate = excluded.window_rate
        """
    fileprivate static let reasons = PostgresText(
        "SELECT DISTINCT kind, reason FROM campaign_outcome WHERE campaign = $1::int4")
    fileprivate static let addOutcomes: PostgresText = """
        INSERT INTO campaign_outcome AS o VALUES ($1::int4, $2::int2, $3::int2, $4::text, $5::int8)
        ON CONFLICT (campaign, slot, kind, reason) DO UPDATE SET count = o.count + excluded.count
        """
    /// A campaign that another transaction has locked ends with its next step.
    fileprivate static let endCampaign: PostgresText = """
        UPDATE campaign SET state = CASE WHEN state = 3 THEN 4 ELSE 5 END, ended = $2::int8, ended_steady = $3::int8
        WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM campaign WHERE id = $1::int4 AND NOT is_open AND state IN (1, 2, 3) AND NOT EXISTS (
                SELECT FROM campaign_count WHERE campaign = $1::int4 HAVING sum(held + waiting + in_flight) <> 0)
            FOR NO KEY UPDATE SKIP LOCKED))
        """
}
