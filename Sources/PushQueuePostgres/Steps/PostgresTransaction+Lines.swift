import PushPlatform
import PushQueue

/// The lines of campaigns.
extension PostgresTransaction {
    func addLines(_ lines: [QueueCampaignLine], to id: UUID, app: String) throws(QueueError) -> QueueLinesAnswer {
        guard let campaign = try lockCampaign(id, app: app) else { return .unknownCampaign }
        guard campaign.isOpen else { return .closed(campaign.state) }
        for line in lines where !(1...QueueCampaignLine.greatestNumber).contains(line.number) {
            throw QueueError(
                .invalid, "The number of a line must be 1 to \(QueueCampaignLine.greatestNumber): \(line.number).")
        }
        let numbers = PostgresValue.int8s(lines.map { Int64($0.number) })
        let found = try query([
            PostgresStatement(.knownLines, [.int4(campaign.row), numbers]),
            PostgresStatement(.knownRefusals, [.int4(campaign.row), numbers]),
        ])
        var adding = AddedLines(
            campaign: campaign, known: Set(found[0].map { $0.integer(0) }),
            refused: Set(found[1].map { $0.integer(0) }))
        let results = lines.map { add($0, &adding) }
        try insert(adding.new)
        try insertLineNumbers(adding)
        let last = lines.lazy.map(\.number).max() ?? 0
        changes.campaign(campaign.row) { $0.lastLine = max($0.lastLine, Int64(last)) }
        changes.move(campaign.app, from: nil, to: .held, campaign: campaign.row, count: adding.new.rows.count)
        if campaign.state == .running { changes.hasCampaigns = true }
        return .done(results)
    }

    private struct AddedLines {
        let campaign: PostgresCampaign
        /// The numbers of lines that are in the campaign.
        var known: Set<Int64>
        /// The numbers of lines that were refused.
        var refused: Set<Int64>
        var new = PostgresNewJobs()
    }

    private func add(_ line: QueueCampaignLine, _ adding: inout AddedLines) -> QueueLineResult {
        let number = Int64(line.number)
        if adding.known.contains(number) { return .repeated }
        switch line.content {
        case .refused(let refusal): return refuse(number, refusal, &adding)
        case .job(var job):
            (job.due, job.dedupeKey) = (.now, nil)
            if let refusal = EnqueueRules.refusal(of: job) {
                return refuse(number, QueueLineRefusal(refusal), &adding)
            }
            switch EnqueueRules.times(of: job, now: now) {
            case .failure(let refusal): return refuse(number, QueueLineRefusal(refusal.reason), &adding)
            case .success(let times): return .held(hold(job, times, number, &adding))
            }
        }
    }

    private func hold(
        _ job: NewQueueJob, _ ownTimes: EnqueueRules.Times, _ number: Int64, _ adding: inout AddedLines
    ) -> UUID {
        var times = ownTimes
        if !times.isExpiryRelative, let end = adding.campaign.expires {
            times.expires = min(times.expires ?? end, end)
        }
        let id = cache.newID(due: times.due)
        adding.known.insert(number)
        adding.new.rows.append(
            PostgresNewJobs.Row(
                app: adding.campaign.app, id: id, job: job, times: times, campaign: adding.campaign.row,
                line: number))
        let wasRefused = adding.refused.remove(number) != nil
        if wasRefused { perform(.dropRefusal, [.int4(adding.campaign.row), .int8(number)]) }
        changes.campaign(adding.campaign.row) { step in
            step.counts.lines += 1
            if wasRefused { step.counts.refused -= 1 }
        }
        return id
    }

    private func refuse(_ number: Int64, _ refusal: QueueLineRefusal, _ adding: inout AddedLines) -> QueueLineResult {
        let isNew = adding.refused.insert(number).inserted
        perform(
            .putRefusal,
            [
                .int4(adding.campaign.row), .int8(number), .text(refusal.code.withoutZeroBytes),
                .text(refusal.detail.withoutZeroBytes),
                refusal.field.map { .text($0.withoutZeroBytes) } ?? .null,
                refusal.remedy.map { .text($0.withoutZeroBytes) } ?? .null,
            ])
        if isNew { changes.campaign(adding.campaign.row) { $0.counts.refused += 1 } }
        return .refused(refusal)
    }

    private func insertLineNumbers(_ adding: AddedLines) throws(QueueError) {
        var copy = PostgresCopy(columns: 3, rows: adding.new.rows.count)
        for row in adding.new.rows {
            copy.beginRow()
            copy.add(.int4(adding.campaign.row))
            copy.add(.int8(row.line))
            copy.add(.uuid(row.id))
        }
        try self.copy(PostgresCopy.statement("campaign_line", ["campaign", "line", "job"]), copy)
    }
}

extension PostgresText {
    fileprivate static let knownLines = PostgresText(
        "SELECT found.line FROM \(found("line", in: "campaign_line", owner: "campaign", key: "line", "int8"))")
    fileprivate static let knownRefusals = PostgresText(
        "SELECT found.line FROM \(found("line", in: "campaign_refusal", owner: "campaign", key: "line", "int8"))")
    fileprivate static let dropRefusal = PostgresText(
        "DELETE FROM campaign_refusal WHERE campaign = $1::int4 AND line = $2::int8")
    fileprivate static let putRefusal = PostgresText(
        """
        INSERT INTO campaign_refusal VALUES ($1::int4, $2::int8, $3::text, $4::text, $5::text, $6::text)
        ON CONFLICT (campaign, line) DO UPDATE SET code = excluded.code, detail = excluded.detail,
            place = excluded.place, remedy = excluded.remedy
        """)
}
