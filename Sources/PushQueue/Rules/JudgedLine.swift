/// What a queue does with a line of a campaign.
package enum JudgedLine {
    /// It is held, with these times of its own.
    case valid(NewQueueJob, EnqueueRules.Times)
    /// It cannot be sent. The texts are short enough to be stored.
    case refused(QueueLineRefusal)

    package init(_ line: QueueCampaignLine, now: QueueTime) {
        switch line.content {
        case .refused(let refusal): self = .refused(refusal.shortened)
        case .job(var job):
            (job.due, job.dedupeKey) = (.now, nil)
            switch EnqueueRules.judge(job, now: now) {
            case .failure(let refusal): self = .refused(QueueLineRefusal(refusal.reason))
            case .success(let times): self = .valid(job, times)
            }
        }
    }

    /// `nil` for a line that is held.
    package var refusal: QueueLineRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}
