import PushPlatform
import PushQueue

extension PostgresTransaction {
    func addLines(_ lines: [QueueCampaignLine], to id: UUID, app: String) throws(QueueError) -> QueueLinesAnswer {
        guard let campaign = try lockCampaign(id, app: app) else { return .unknownCampaign }
        try CampaignRules.checkNumbers(of: lines)
        let numbers = PostgresValue.int8s(lines.map { Int64($0.number) })
        let found = try query([
            PostgresStatement(.knownLines, campaign.row, numbers),
            PostgresStatement(.knownRefusals, campaign.row, numbers),
        ])
        var known: [Int: CampaignRules.KnownLine] = [:]
        for (rows, isRefused) in [(found[1], true), (found[0], false)] {
            for (number, digest) in rows.map({ ($0.number(0), $0.optional(1) { $0.bytes($1) }) }) {
                known[number] = .init(isRefused: isRefused, digest: digest ?? [])
            }
        }
        if let answer = CampaignRules.answer(to: lines, known: known, isOpen: campaign.isOpen, campaign.state) {
            return answer
        }
        let judged = lines.map { JudgedLine($0, now: now) }
        let refused = zip(lines, judged).count { known[$0.number] == nil && $1.refusal != nil }
        if refused > 0, let limit = try limit(exceededBy: refused, in: campaign) { return .tooManyRefused(limit) }
        var adding = AddedLines(campaign: campaign, known: known)
        let results = zip(lines, judged).map { add($0, $1, &adding) }
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
        /// The lines that are in the campaign, by their numbers.
        var known: [Int: CampaignRules.KnownLine]
        var new = PostgresNewJobs()
        var digests: [[UInt8]] = []
    }

    private func limit(
        exceededBy refused: Int, in campaign: PostgresCampaign
    ) throws(QueueError) -> QueueRefusalLimit? {
        let row = try query(.refusedCounts, campaign.row, campaign.app).first
        return CampaignRules.limit(
            exceededBy: refused, campaign: (row?.number(0) ?? 0, row?.number(1) ?? 0),
            app: (row?.number(2) ?? 0, row?.number(3) ?? 0), pending: changes.campaigns[campaign.row])
    }

    private func add(
        _ line: QueueCampaignLine, _ judgement: JudgedLine, _ adding: inout AddedLines
    ) -> QueueLineResult {
        let wasRefused = adding.known[line.number]?.isRefused
        if wasRefused == false { return .repeated }
        adding.known[line.number] = .init(isRefused: judgement.refusal != nil, digest: line.digest)
        switch judgement {
        case .refused(let refusal): return refuse(line, refusal, isNew: wasRefused == nil, adding)
        case .valid(let job, let times):
            if wasRefused == true {
                perform(.dropRefusal, adding.campaign.row, line.number)
                changes.campaign(adding.campaign.row) { $0.counts.refused -= 1 }
            }
            let id = hold(job, times, line.number, line.digest, &adding)
            for (index, other) in line.others.enumerated() {
                _ = hold(other, times, QueueCampaignLine.kept(line.number, index + 1), [], &adding)
            }
            return .held(id)
        }
    }

    private func hold(
        _ job: NewQueueJob, _ ownTimes: EnqueueRules.Times, _ number: Int, _ digest: [UInt8],
        _ adding: inout AddedLines
    ) -> UUID {
        let times = adding.campaign.times(of: ownTimes)
        let id = cache.newID(due: times.due)
        adding.new.rows.append(
            PostgresNewJobs.Row(
                app: adding.campaign.app, id: id, job: job, times: times, campaign: adding.campaign.row,
                line: Int64(number)))
        adding.digests.append(digest)
        changes.campaign(adding.campaign.row) { $0.counts.lines += 1 }
        return id
    }

    private func refuse(
        _ line: QueueCampaignLine, _ refusal: QueueLineRefusal, isNew: Bool, _ adding: AddedLines
    ) -> QueueLineResult {
        perform(
            .putRefusal, adding.campaign.row, line.number, refusal.code.withoutZeroBytes,
            refusal.detail.withoutZeroBytes, refusal.field?.withoutZeroBytes, refusal.remedy?.withoutZeroBytes,
            Self.stored(line.digest))
        if isNew { changes.campaign(adding.campaign.row) { $0.counts.refused += 1 } }
        return .refused(refusal)
    }

    private func insertLineNumbers(_ adding: AddedLines) throws(QueueError) {
        var copy = PostgresCopy(columns: Self.lineColumns.count, rows: adding.new.rows.count)
        for (row, digest) in zip(adding.new.rows, adding.digests) {
            copy.beginRow()
            copy.add(.int4(adding.campaign.row))
            copy.add(.int8(row.line))
            copy.add(.uuid(row.id))
            copy.add(Self.stored(digest))
        }
        try self.copy(PostgresCopy.statement("campaign_line", Self.lineColumns), copy)
    }

    static let lineColumns = ["campaign", "line", "job", "digest"]

    private static func stored(_ digest: [UInt8]) -> PostgresValue { digest.isEmpty ? .null : .bytes(digest) }
}

extension PostgresText {
    fileprivate static let knownLines = PostgresText(
        "SELECT found.line, found.digest FROM \(found("line, digest", in: "campaign_line", owner: "campaign", key: "line", "int8"))"
    )
    fileprivate static let knownRefusals: PostgresText = """
        SELECT found.line, found.digest
        FROM \(found("line, digest", in: "campaign_refusal", owner: "campaign", key: "line", "int8"))
        """
    fileprivate static let refusedCounts: PostgresText = """
        SELECT coalesce(sum(c.lines) FILTER (WHERE own.id = $1::int4), 0)::int8,
            coalesce(sum(c.refused) FILTER (WHERE own.id = $1::int4), 0)::int8,
            coalesce(sum(c.lines), 0)::int8, coalesce(sum(c.refused), 0)::int8
        FROM (SELECT id FROM campaign WHERE app = $2::int4 AND state < 4 OFFSET 0) AS own CROSS JOIN LATERAL (
            SELECT lines, refused FROM campaign_count WHERE campaign_count.campaign = own.id OFFSET 0
        ) AS c
        """
    fileprivate static let dropRefusal = PostgresText(
        "DELETE FROM campaign_refusal WHERE campaign = $1::int4 AND line = $2::int8")
    fileprivate static let putRefusal: PostgresText = """
        INSERT INTO campaign_refusal VALUES ($1::int4, $2::int8, $3::text, $4::text, $5::text, $6::text, $7::bytea)
        ON CONFLICT (campaign, line) DO UPDATE SET code = excluded.code, detail = excluded.detail,
            place = excluded.place, remedy = excluded.remedy, digest = excluded.digest
        """
}
