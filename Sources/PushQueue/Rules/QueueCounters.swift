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

    /// `nil` for finished lines, which are counted by outcome.
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

/// How many lines of a campaign get their outcome in a second. A pure value, which a backend stores with the campaign.
package struct SpeedWindow: Equatable {
    /// The beginning of the window; 0 if nothing was counted.
    package var begin: SteadyTime
    package var count: Int64
    /// The number of outcomes in 1000 seconds in the window before; 0 if there was none.
    package var last: Int64

    package init(begin: SteadyTime, count: Int64, last: Int64) {
        (self.begin, self.count, self.last) = (begin, count, last)
    }

    private static let windowMilliseconds: Int64 = 2000
    /// After this time without a new window, the campaign counts as standing still, in milliseconds.
    private static let staleness: Int64 = 10_000

    package mutating func add(_ outcomes: Int, at now: SteadyTime) {
        let age = now.milliseconds - begin.milliseconds
        if age < 0 || age > Self.staleness {
            self = SpeedWindow(begin: now, count: Int64(outcomes), last: 0)
        } else if age >= Self.windowMilliseconds {
            self = SpeedWindow(begin: now, count: 0, last: (count + Int64(outcomes)) * 1_000_000 / age)
        } else {
            count += Int64(outcomes)
        }
    }

    package func speed(at now: SteadyTime) -> Double {
        let age = now.milliseconds - begin.milliseconds
        guard age >= 0, age <= Self.staleness else { return 0 }
        return last > 0 ? Double(last) / 1000 : Double(count) * 1000 / Double(max(age, 1000))
    }
}
