extension QueueJobState {
    package var counter: WritableKeyPath<QueueCounts, Int> {
        switch self {
        case .waiting: \.waiting
        case .leased: \.leased
        case .started: \.started
        case .finished: \.kept
        case .held: \.held
        }
    }

    /// The counter of a campaign; `nil` for finished lines, which are counted by outcome.
    package var campaignCounter: WritableKeyPath<QueueCampaignCounts, Int>? {
        switch self {
        case .waiting: \.waiting
        case .leased, .started: \.inFlight
        case .held: \.held
        case .finished: nil
        }
    }
}

/// What a transaction changes in a campaign.
package struct CampaignStep {
    /// By how much the counters change.
    package var counts = QueueCampaignCounts()
    /// By how much the outcomes of each kind and reason change.
    package var outcomes: [Outcome: Int] = [:]
    /// The greatest number of a line that has arrived.
    package var lastLine: Int64 = 0

    package struct Outcome: Hashable {
        package var kind: QueueJobOutcome.Kind
        package var reason: String

        package init(kind: QueueJobOutcome.Kind, reason: String) {
            (self.kind, self.reason) = (kind, reason)
        }
    }

    package init() {}
}

extension QueueJobOutcome.Kind {
    package var campaignCounter: WritableKeyPath<QueueCampaignCounts, Int> {
        switch self {
        case .accepted: \.accepted
        case .rejected: \.rejected
        case .unknown: \.unknown
        case .notSent: \.notSent
        }
    }

    package var counter: WritableKeyPath<QueueCounts, Int> {
        switch self {
        case .accepted: \.accepted
        case .rejected: \.rejected
        case .unknown: \.unknown
        case .notSent: \.notSent
        }
    }
}
