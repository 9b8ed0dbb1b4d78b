import PushDelivery
import PushJSON
import PushQueue

enum CampaignValue {
    static func value(_ campaign: QueueCampaign, outcomes: [QueueCampaignOutcome]? = nil, now: QueueTime)
        -> PushJSONValue
    {
        let settings = CampaignSettings(encoded: campaign.settings)
        let end = estimatedEnd(campaign, now: now)
        return .members(
            [
                ("id", .string(JobAnswer.text(campaign.id))), ("app", .string(campaign.app)),
                ("name", .string(campaign.name)), ("state", .string(state(of: campaign, now: now))),
                ("open", .bool(campaign.isOpen)), ("created_at", JobAnswer.time(campaign.created)),
                ("started_at", campaign.started.map(JobAnswer.time)),
                ("ended_at", campaign.ended.map(JobAnswer.time)),
                ("starts_at", campaign.starts.map(JobAnswer.time)),
                ("expires_at", campaign.expires.map(JobAnswer.time)),
                ("rate", campaign.rate.map { number($0.perSecond) } ?? .null),
                ("rate_now", number((campaign.speed * 10).rounded() / 10)),
                ("estimated_end", end.map(JobAnswer.time)), ("next_line", .integer(campaign.lastLine + 1)),
                ("lines", lines(campaign.counts)),
                ("outcomes", outcomes.map { .array($0.map(outcome)) }),
            ] + (settings?.members ?? []))
    }

    private static func lines(_ counts: QueueCampaignCounts) -> PushJSONValue {
        [
            "total": .integer(counts.lines), "refused": .integer(counts.refused), "held": .integer(counts.held),
            "waiting": .integer(counts.waiting), "in_flight": .integer(counts.inFlight),
            "accepted": .integer(counts.accepted), "rejected": .integer(counts.rejected),
            "unknown": .integer(counts.unknown), "not_sent": .integer(counts.notSent),
        ]
    }

    private static func outcome(_ outcome: QueueCampaignOutcome) -> PushJSONValue {
        .members([
            ("kind", .string(outcome.kind.name)), ("reason", outcome.reason.map(PushJSONValue.string)),
            ("count", .integer(outcome.count)),
        ])
    }

    private static func number(_ number: Double) -> PushJSONValue {
        Int(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private static func state(of campaign: QueueCampaign, now: QueueTime) -> String {
        guard campaign.state == .running, let start = campaign.starts, start > now else {
            return campaign.state.name
        }
        return "scheduled"
    }

    /// When the last line will have its outcome, at the current speed.
    private static func estimatedEnd(_ campaign: QueueCampaign, now: QueueTime) -> QueueTime? {
        guard campaign.state == .running, campaign.counts.unfinished > 0 else { return nil }
        let begin = max(campaign.starts ?? now, now)
        let speed = begin > now ? campaign.rate?.perSecond ?? 0 : campaign.speed
        guard speed > 0 else { return nil }
        let end = begin + .seconds(Double(campaign.counts.unfinished) / speed)
        return end < .latest ? end : nil
    }

    // MARK: Lines

    /// A line of the report, in the format of the results of `pushsend batch`.
    static func line(_ line: QueueCampaignLineRecord) -> PushJSONValue {
        switch line.content {
        case .dropped: .members(place(line.number) + [("outcome", "dropped")])
        case .refused(let refusal): refused(refusal, line: line.number)
        case .job(let job): sent(job, line: line.number)
        }
    }

    /// The number of a line. Further pushes of a line come behind all lines, with a place of their own for `after`.
    private static func place(_ kept: Int) -> [(String, PushJSONValue?)] {
        let line = QueueCampaignLine.line(ofKept: kept)
        return [("line", .integer(line)), ("after", line == kept ? nil : .integer(kept))]
    }

    static func refused(_ refusal: QueueLineRefusal, line: Int) -> PushJSONValue {
        .members([
            ("line", .integer(line)), ("outcome", "not_sent"), ("reason", "invalid"),
            ("code", .string(refusal.code)), ("detail", .string(refusal.detail)),
            ("field", refusal.field.map(PushJSONValue.string)),
            ("remedy", refusal.remedy.map(PushJSONValue.string)),
        ])
    }

    private static func sent(_ job: QueueJobRecord, line: Int) -> PushJSONValue {
        let reference = PushDetails(encoded: job.push)?.reference.flatMap { PushJSONValue(json: $0) }
        let token: String? = if case .device(let token) = job.target { token } else { nil }
        let isSent = job.started != nil
        return .members(
            place(line) + [
                ("id", .string(JobAnswer.text(job.id))), ("ref", reference),
                ("token", token.map(PushJSONValue.string)),
                ("outcome", job.outcome.map { .string($0.kind.name) }),
                ("state", job.outcome == nil ? .string(job.state.name) : nil),
                ("status", job.outcome?.status.map(PushJSONValue.integer)),
                ("reason", job.outcome?.reason.map(PushJSONValue.string)),
                ("detail", job.outcome?.detail.map(PushJSONValue.string)),
                ("apns_id", isSent ? .string(JobAnswer.text(job.id)) : nil),
                ("apns_unique_id", job.outcome?.uniqueID.map { .string(JobAnswer.text($0)) }),
                ("gone_since", job.outcome?.goneSince.map(JobAnswer.time)),
                ("attempts", .integer(job.attempts)), ("finished_at", job.finished.map(JobAnswer.time)),
            ])
    }
}
