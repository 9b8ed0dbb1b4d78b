/// The part of a campaign that a step needs for its decisions. A backend names its rows by numbers.
package struct StoredCampaign<Row: Sendable>: Sendable {
    package var row: Row
    package var app: Row
    package var state: QueueCampaignState
    package var isOpen: Bool
    package var rate: QueueCampaignRate?
    package var starts: QueueTime?
    package var expires: QueueTime?
    package var bucket: ReleaseBucket
    /// The released lines without an outcome that are stored. A step reads them before it releases lines.
    package var released = 0

    package init(
        row: Row, app: Row, state: Int, isOpen: Bool, rate: Int?, starts: QueueTime?, expires: QueueTime?,
        bucket: ReleaseBucket
    ) {
        (self.row, self.app, self.isOpen, self.starts, self.expires) = (row, app, isOpen, starts, expires)
        self.state = QueueCampaignState(rawValue: state) ?? .finished
        self.rate = rate.flatMap { QueueCampaignRate(perThousandSeconds: $0) }
        self.bucket = bucket
    }

    // MARK: Changes

    package enum Write: Equatable {
        case run(ReleaseBucket)
        case close
        /// It is paused, and its waiting lines are held.
        case pause
        case cancel
        case rate(QueueCampaignRate?, ReleaseBucket)
    }

    /// What is written for a change that ``CampaignRules/allow(_:in:)`` allows; nothing if it is a repetition.
    package func writes(for change: QueueCampaignChange, at steady: SteadyTime) -> [Write] {
        let run = Write.run(ReleaseBucket(at: steady))
        switch change {
        case .start(let closes): return (state == .draft ? [run] : []) + (closes && isOpen ? [.close] : [])
        case .close: return isOpen ? [.close] : []
        case .pause: return state == .running ? [.pause] : []
        case .resume: return state == .paused ? [run] : []
        case .cancel: return state.isEnd ? [] : [.cancel]
        case .rate(let rate):
            guard let old = self.rate else { return [.rate(rate, ReleaseBucket(at: steady))] }
            var bucket = bucket
            bucket.fill(rate: old, at: steady)
            return [.rate(rate, bucket)]
        }
    }

    // MARK: The next step

    package enum Advance: Equatable {
        case nothing
        /// Its lines end as cancelled.
        case cancel
        /// It takes no more lines, and those that it has end as expired.
        case expire
        case release
    }

    package func advance(at now: QueueTime) -> Advance {
        switch state {
        case .draft, .cancelled, .finished: return .nothing
        case .cancelling: return .cancel
        case .running, .paused:
            if let expires, expires <= now { return .expire }
            return state == .running && starts.map { $0 <= now } ?? true ? .release : .nothing
        }
    }

    /// How many lines may be released now, within the rate. This fills the bucket.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of lines in this step.
    ///   - ahead: The maximum number of released lines without an outcome.
    ///   - pending: What the transaction has changed in the campaign.
    ///   - steady: The time.
    /// - Returns: The number of lines, which can be below 0.
    package mutating func releasable(limit: Int, ahead: Int, pending: CampaignStep?, at steady: SteadyTime) -> Int {
        let released = released + (pending.map { $0.counts.waiting + $0.counts.inFlight } ?? 0)
        guard let rate else { return min(limit, ahead - released) }
        bucket.fill(rate: rate, at: steady)
        return min(limit, min(ahead, ReleaseBucket.maximumAhead(at: rate)) - released, bucket.lines)
    }

    /// The times of a new line: it ends with the campaign, unless its time begins when it is released.
    package func times(of own: EnqueueRules.Times) -> EnqueueRules.Times {
        guard !own.isExpiryRelative, let expires else { return own }
        var times = own
        times.expires = min(own.expires ?? expires, expires)
        return times
    }
}

package struct HeldLineTimes: Equatable {
    package var due: QueueTime
    /// In milliseconds.
    package var expires: Int64
    package var isExpiryRelative: Bool
    package var attempts: Int

    package init(due: QueueTime, expires: Int64, isExpiryRelative: Bool, attempts: Int) {
        (self.due, self.expires, self.attempts) = (due, expires, attempts)
        self.isExpiryRelative = isExpiryRelative
    }

    /// When the line is due and expires if it is released now; `nil` if it expires before it is due.
    package func released(at now: QueueTime, end: QueueTime?) -> (due: QueueTime, expires: Int64)? {
        var (due, expires) = (max(due, now), expires)
        if attempts == 0 {
            // The time of a line begins when it can be sent for the first time.
            due = now
            if isExpiryRelative {
                expires = (now + .milliseconds(expires - self.due.milliseconds)).milliseconds
                expires = min(expires, end?.milliseconds ?? expires)
            }
        }
        return expires > due.milliseconds ? (due, expires) : nil
    }
}
