import PushPlatform

extension QueueTransaction {
    func addLines(_ lines: [QueueCampaignLine], to id: UUID, app: String) throws(QueueError) -> QueueLinesAnswer {
        guard let campaign = try campaignRow(id, app: app) else { return .unknownCampaign }
        var known: [Int: CampaignRules.KnownLine] = [:]
        try CampaignRules.checkNumbers(of: lines)
        for line in lines {
            known[line.number] = try knownLine(LineKey(campaign: campaign.row, number: Int64(line.number)))
        }
        if let answer = CampaignRules.answer(
            to: lines, known: known, isOpen: campaign.isOpen, campaign.state)
        {
            return answer
        }
        let judged = lines.map { JudgedLine($0, now: now) }
        let refused = zip(lines, judged).count { known[$0.number] == nil && $1.refusal != nil }
        if refused > 0, let limit = try limit(exceededBy: refused, in: campaign) { return .tooManyRefused(limit) }
        var rows = try freeRows(lines.flatMap { [QueueTime](repeating: now, count: 1 + $0.others.count) })
        let results = try zip(lines, judged).map { (line, judgement) throws(QueueError) in
            try add(line, judgement, to: campaign, &known, &rows)
        }
        let last = lines.lazy.map(\.number).max() ?? 0
        changes.campaign(campaign.row) { $0.lastLine = max($0.lastLine, Int64(last)) }
        if campaign.state == .running { changes.hasCampaigns = true }
        return .done(results)
    }

    private func knownLine(_ key: LineKey) throws(QueueError) -> CampaignRules.KnownLine? {
        if let digest = try sql(.line).first(key.campaign, key.number, read: { $0.bytes(0) }) {
            return .init(isRefused: false, digest: digest)
        }
        let digest = try sql(.refusedLine).first(key.campaign, key.number) { $0.bytes(0) }
        return digest.map { .init(isRefused: true, digest: $0) }
    }

    private func limit(
        exceededBy refused: Int, in campaign: CampaignRow
    ) throws(QueueError) -> QueueRefusalLimit? {
        let counts = try sql(.refusedCounts).first(campaign.row, campaign.app) {
            (campaign: ($0.number(0), $0.number(1)), app: ($0.number(2), $0.number(3)))
        }
        return CampaignRules.limit(
            exceededBy: refused, campaign: counts?.campaign ?? (0, 0), app: counts?.app ?? (0, 0),
            pending: changes.campaigns[campaign.row])
    }

    private func add(
        _ line: QueueCampaignLine, _ judgement: JudgedLine, to campaign: CampaignRow,
        _ known: inout [Int: CampaignRules.KnownLine], _ rows: inout RequestNumbers
    ) throws(QueueError) -> QueueLineResult {
        let key = LineKey(campaign: campaign.row, number: Int64(line.number))
        let wasRefused = known[line.number]?.isRefused
        if wasRefused == false { return .repeated }
        known[line.number] = .init(isRefused: judgement.refusal != nil, digest: line.digest)
        if wasRefused == true {
            try sql(.dropRefusal).run(key.campaign, key.number)
            changes.campaign(key.campaign) { $0.counts.refused -= 1 }
        }
        switch judgement {
        case .refused(let refusal): return try refuse(key, refusal, line.digest)
        case .valid(let job, let times):
            let id = try hold(job, times, key, campaign, line.digest, row: rows.take(now))
            for (index, other) in line.others.enumerated() {
                let number = QueueCampaignLine.kept(line.number, index + 1)
                let key = LineKey(campaign: campaign.row, number: Int64(number))
                _ = try hold(other, times, key, campaign, [], row: rows.take(now))
            }
            return .held(id)
        }
    }

    private func hold(
        _ job: NewQueueJob, _ ownTimes: EnqueueRules.Times, _ line: LineKey, _ campaign: CampaignRow,
        _ digest: [UInt8], row: Int64
    ) throws(QueueError) -> UUID {
        let times = campaign.times(of: ownTimes)
        let key = try insertJob(app: campaign.app, job.priority, job.policy, times, row: row, line: line)
        try insertContent(of: job, as: key, app: campaign.app)
        try sql(.insertLineNumber).run(line.campaign, line.number, key.row, Self.stored(digest))
        changes.campaign(line.campaign) { $0.counts.lines += 1 }
        return key.id
    }

    private func refuse(
        _ line: LineKey, _ refusal: QueueLineRefusal, _ digest: [UInt8]
    ) throws(QueueError) -> QueueLineResult {
        try sql(.insertRefusal).run(
            line.campaign, line.number, refusal.code, refusal.detail, refusal.field, refusal.remedy,
            Self.stored(digest))
        changes.campaign(line.campaign) { $0.counts.refused += 1 }
        return .refused(refusal)
    }

    private static func stored(_ digest: [UInt8]) -> [UInt8]? { digest.isEmpty ? nil : digest }
}

extension SQLText {
    fileprivate static let line = SQLText("SELECT digest FROM campaign_line WHERE campaign = ?1 AND line = ?2")
    fileprivate static let refusedLine = SQLText(
        "SELECT digest FROM campaign_refusal WHERE campaign = ?1 AND line = ?2")
    fileprivate static let refusedCounts: SQLText = """
        SELECT coalesce(sum(lines) FILTER (WHERE id = ?1), 0), coalesce(sum(refused) FILTER (WHERE id = ?1), 0),
            coalesce(sum(lines), 0), coalesce(sum(refused), 0)
        FROM campaign INDEXED BY campaign_app WHERE app = ?2 AND state < 4
        """
    fileprivate static let insertLineNumber = SQLText("INSERT INTO campaign_line VALUES (?1, ?2, ?3, ?4)")
    fileprivate static let dropRefusal = SQLText("DELETE FROM campaign_refusal WHERE campaign = ?1 AND line = ?2")
    fileprivate static let insertRefusal = SQLText(
        "INSERT INTO campaign_refusal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
}
