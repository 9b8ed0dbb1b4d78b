/// What a transaction of any backend collects, and writes once before it commits.
package protocol CollectedChanges {
    /// The number of an app or a campaign.
    associatedtype Row: Hashable

    /// By how much the counters of an app change.
    var counts: [Row: QueueCounts] { get set }
    var campaigns: [Row: CampaignStep] { get set }
    var tallies: [Row: [CampaignStep.Outcome: Int]] { get set }
    /// Whether a job waits that did not before.
    var hasJobs: Bool { get set }
    var hasResults: Bool { get set }
    /// Whether a campaign was changed by an operator.
    var hasCampaigns: Bool { get set }
}

/// Some of these run for each job. They are inlinable, so that they are specialized in the module of each backend.
extension CollectedChanges {
    @inlinable package mutating func count(_ app: Row, _ change: (inout QueueCounts) -> Void) {
        change(&counts[app, default: QueueCounts()])
    }

    @inlinable package mutating func campaign(_ row: Row, _ change: (inout CampaignStep) -> Void = { _ in }) {
        change(&campaigns[row, default: CampaignStep()])
    }

    /// Notes that jobs leave one state for another; `nil` means no job.
    @inlinable package mutating func move(
        _ app: Row, from old: QueueJobState?, to new: QueueJobState?, campaign: Row? = nil, count: Int = 1
    ) {
        self.count(app) { counts in
            if let old { counts[keyPath: old.counter] -= count }
            if let new { counts[keyPath: new.counter] += count }
        }
        if let campaign { moveLines(of: campaign, from: old, to: new, count: count) }
        if new == .waiting { hasJobs = true }
    }

    /// Notes that lines leave one state for another, whose jobs are counted elsewhere.
    @inlinable package mutating func moveLines(
        of campaign: Row, from old: QueueJobState?, to new: QueueJobState?, count: Int = 1
    ) {
        self.campaign(campaign) { step in
            if let counter = old?.campaignCounter { step.counts[keyPath: counter] -= count }
            if let counter = new?.campaignCounter { step.counts[keyPath: counter] += count }
        }
    }

    @inlinable package mutating func ended(
        _ app: Row, from state: QueueJobState, _ kind: QueueJobOutcome.Kind, reason: String?, pushType: String?,
        campaign: Row?
    ) {
        count(app) { counts in
            counts[keyPath: state.counter] -= 1
            counts.kept += 1
            counts[keyPath: kind.counter] += 1
        }
        hasResults = true
        let outcome = CampaignStep.Outcome(kind: kind, reason: reason ?? "")
        let tallied =
            kind == .accepted ? CampaignStep.Outcome(kind: kind, reason: pushType ?? outcome.reason) : outcome
        tallies[app, default: [:]][tallied, default: 0] += 1
        guard let campaign else { return }
        self.campaign(campaign) { step in
            if let counter = state.campaignCounter { step.counts[keyPath: counter] -= 1 }
            step.counts[keyPath: kind.campaignCounter] += 1
            step.outcomes[outcome, default: 0] += 1
        }
    }

    /// Beyond a fixed number of reasons, the rest are counted together.
    package func boundedTallies(of app: Row) -> [(outcome: CampaignStep.Outcome, count: Int)] {
        var bounded: [CampaignStep.Outcome: Int] = [:]
        for (outcome, count) in tallies[app, default: [:]].sorted(by: { $0.value > $1.value }) {
            let isOwn =
                outcome.reason.utf8.count <= QueueTallySpan.longestReason
                && bounded.count < QueueTallySpan.maximumReasons
            let key = isOwn ? outcome : CampaignStep.Outcome(kind: outcome.kind, reason: "other")
            bounded[key, default: 0] += count
        }
        return bounded.sorted { ($0.key.kind.rawValue, $0.key.reason) < ($1.key.kind.rawValue, $1.key.reason) }
            .map { ($0.key, $0.value) }
    }

    /// What to tell subscribers after the commit.
    package var kinds: [QueueChange] {
        QueueChange.allCases.filter { kind in
            switch kind {
            case .jobs: hasJobs
            case .results: hasResults
            case .campaigns: hasCampaigns
            }
        }
    }
}
