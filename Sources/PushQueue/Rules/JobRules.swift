/// What may happen to a job. A backend calls these rules before it changes a job.
package struct JobRules: Equatable {
    package var state: QueueJobState
    /// The fence of its last lease; 0 if it never had one.
    package var fence: Int64
    package var policy: QueueDeliveryPolicy
    /// Whether an earlier try may have reached Apple.
    package var isUncertain: Bool

    package init(state: QueueJobState, fence: Int64, policy: QueueDeliveryPolicy, isUncertain: Bool) {
        (self.state, self.fence, self.policy, self.isUncertain) = (state, fence, policy, isUncertain)
    }

    // MARK: Steps of a worker

    // Each returns the result that the worker gets without a change; `nil` if the job changes.

    package func start(_ fence: Int64) -> QueueLeaseResult? {
        answer(fence, leased: nil, started: .done, waiting: .lost)
    }

    package func giveBack(_ fence: Int64) -> QueueLeaseResult? {
        answer(fence, leased: nil, started: .started, waiting: .done)
    }

    package func complete(
        _ fence: Int64, as kind: QueueJobOutcome.Kind, recorded: QueueJobOutcome.Kind?
    ) -> QueueLeaseResult? {
        let ended = QueueJobOutcome(kind).afterUncertainTry(isUncertain).kind
        return answer(
            fence, leased: kind == .notSent ? nil : .notStarted, started: nil, waiting: .lost,
            finished: recorded == ended ? .done : .finished)
    }

    package func retry(_ fence: Int64, mayHaveArrived: Bool) -> QueueLeaseResult? {
        let isForbidden = mayHaveArrived && policy == .atMostOnce
        return answer(fence, leased: nil, started: isForbidden ? .forbidden : nil, waiting: .done)
    }

    package func extend(_ fence: Int64) -> QueueLeaseResult? {
        answer(fence, leased: nil, started: nil, waiting: .lost)
    }

    /// The answer in each state, unless the job has another lease by now. A held line was given back, like a job that waits.
    private func answer(
        _ fence: Int64, leased: QueueLeaseResult?, started: QueueLeaseResult?, waiting: QueueLeaseResult,
        finished: QueueLeaseResult = .finished
    ) -> QueueLeaseResult? {
        guard fence == self.fence else { return state == .finished ? .finished : .lost }
        return switch state {
        case .leased: leased
        case .started: started
        case .waiting, .held: waiting
        case .finished: finished
        }
    }

    /// The result of a call that ends jobs that were not started. If it is ``QueueStopResult/isStopped``, the job ends.
    package func stop(recorded: QueueJobOutcome.Kind?) -> QueueStopResult {
        switch state {
        case .waiting, .leased, .held: isUncertain ? .stoppedUncertain : .stopped
        case .started: .started
        case .finished: .finished(recorded ?? .unknown)
        }
    }

    /// Whether a worker has the job, so that the lease counts it.
    package var isHeld: Bool { state == .leased || state == .started }

    package enum Recovery: Equatable {
        case waiting
        case unknown
        case buried
    }

    /// With this number of lost workers a job is a suspect: it may be what ends them. From then on it is claimed alone, and only the loss
    /// of a worker that had no other job of the lease counts. So the jobs beside it are never buried for it, and one crash slows nothing.
    package static let suspectAfter = 2

    /// How many waiting jobs of an app and priority a search for a suspect reads, from the first. Suspects were claimed before, so they are
    /// among the first, or come there when the jobs before them are claimed.
    package static let suspectSearch = 100

    /// Whether the loss of a worker counts for a job that has lost `lost` workers before.
    package static func countsLoss(lost: Int, isAlone: Bool) -> Bool { isAlone || lost < suspectAfter }

    /// What happens to a job that has lost `lost` workers, including this one. With `limit` lost workers, it is buried if it was alone in
    /// its lease.
    package func recovery(lost: Int, limit: Int, isAlone: Bool) -> Recovery {
        if state == .started && policy == .atMostOnce { return .unknown }
        return lost >= limit && isAlone ? .buried : .waiting
    }

    package struct Loss: Equatable {
        /// What is noted in its history.
        package var detail: String?
        /// How many attempts are added. A started job has counted its own.
        package var attempts: Int
        /// How many lost workers are added.
        package var workers: Int
        /// Whether the try may have reached Apple, and the job goes on.
        package var isUncertain: Bool
        package var recovery: Recovery
        /// The outcome; `nil` if it waits again.
        package var outcome: QueueJobOutcome?
    }

    /// `lost` is the number of workers that the job has lost before.
    package func loss(lost: Int, limit: Int, isAlone: Bool) -> Loss {
        let workers = Self.countsLoss(lost: lost, isAlone: isAlone) ? 1 : 0
        let isStarted = state == .started
        let recovery = recovery(lost: lost + workers, limit: limit, isAlone: isAlone)
        let outcome: QueueJobOutcome? =
            switch recovery {
            case .waiting: nil
            case .unknown: QueueJobOutcome(.unknown, reason: QueueJobOutcome.workerLost)
            case .buried:
                QueueJobOutcome(
                    .notSent, reason: QueueJobOutcome.buried,
                    detail: "\(lost + workers) workers were lost while they had this job.")
            }
        return Loss(
            detail: isStarted ? "started" : nil, attempts: isStarted ? 0 : 1, workers: workers,
            isUncertain: isStarted && recovery != .unknown, recovery: recovery, outcome: outcome)
    }
}

extension QueueJobRetry {
    package struct Wait: Equatable {
        package var due: QueueTime
        /// Whether the time was counted from the clock of the queue.
        package var isRelative: Bool
    }

    /// When the job is due again; `nil` if it expires before, at a time in milliseconds.
    package func wait(now: QueueTime, expires: Int64) -> Wait? {
        let wait =
            switch due {
            case .after(let duration): Wait(due: now + duration, isRelative: true)
            case .at(let time): Wait(due: min(max(time, .earliest), .latest), isRelative: false)
            }
        return wait.due.milliseconds < expires ? wait : nil
    }

    /// The outcome of a job that expires before it is due again.
    package var expired: QueueJobOutcome {
        QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired, detail: reason)
    }
}

extension QueueLeaseRecovery {
    package mutating func count(_ recovery: JobRules.Recovery) {
        switch recovery {
        case .waiting: waiting += 1
        case .unknown: unknown += 1
        case .buried: buried += 1
        }
    }
}
