/// What may happen to a job. A backend calls these rules before it changes a job.
package struct JobRules: Equatable {
    /// Where the job is.
    package var state: QueueJobState
    /// The fence of its last lease; 0 if it never had one.
    package var fence: Int64
    /// What happens if the worker is lost.
    package var policy: QueueDeliveryPolicy
    /// Whether an earlier try may have reached Apple.
    package var isUncertain: Bool

    package init(state: QueueJobState, fence: Int64, policy: QueueDeliveryPolicy, isUncertain: Bool) {
        (self.state, self.fence, self.policy, self.isUncertain) = (state, fence, policy, isUncertain)
    }

    /// The decision about a step of a worker.
    package enum Decision: Equatable {
        /// The job changes.
        case change
        /// Nothing changes; the worker gets this result.
        case answer(QueueLeaseResult)
    }

    package func start(_ fence: Int64) -> Decision {
        guard fence == self.fence else { return .answer(wrongFence) }
        return switch state {
        case .leased: .change
        case .started: .answer(.done)
        case .waiting, .held: .answer(.lost)
        case .finished: .answer(.finished)
        }
    }

    package func giveBack(_ fence: Int64) -> Decision {
        guard fence == self.fence else { return .answer(wrongFence) }
        return switch state {
        case .leased: .change
        case .started: .answer(.started)
        case .waiting, .held: .answer(.done)
        case .finished: .answer(.finished)
        }
    }

    package func complete(_ fence: Int64, as kind: QueueJobOutcome.Kind, recorded: QueueJobOutcome.Kind?) -> Decision {
        guard fence == self.fence else { return .answer(wrongFence) }
        switch state {
        case .started: return .change
        case .leased: return kind == .notSent ? .change : .answer(.notStarted)
        case .waiting, .held: return .answer(.lost)
        case .finished:
            let ended = QueueJobOutcome(kind).afterUncertainTry(isUncertain).kind
            return .answer(recorded == ended ? .done : .finished)
        }
    }

    package func retry(_ fence: Int64, mayHaveArrived: Bool) -> Decision {
        guard fence == self.fence else { return .answer(wrongFence) }
        switch state {
        case .leased, .started:
            return mayHaveArrived && policy == .atMostOnce && state == .started ? .answer(.forbidden) : .change
        case .waiting, .held: return .answer(.done)
        case .finished: return .answer(.finished)
        }
    }

    package func extend(_ fence: Int64) -> Decision {
        guard fence == self.fence else { return .answer(wrongFence) }
        return switch state {
        case .leased, .started: .change
        case .waiting, .held: .answer(.lost)
        case .finished: .answer(.finished)
        }
    }

    /// The decision about a call that ends jobs that were not started.
    package enum Stop: Equatable {
        /// The job ends, and the caller gets this result.
        case end(QueueStopResult)
        /// Nothing changes; the caller gets this result.
        case answer(QueueStopResult)
    }

    package func stop(recorded: QueueJobOutcome.Kind?) -> Stop {
        switch state {
        case .waiting, .leased, .held: .end(isUncertain ? .stoppedUncertain : .stopped)
        case .started: .answer(.started)
        case .finished: .answer(.finished(recorded ?? .unknown))
        }
    }

    /// Whether a worker has the job, so that the lease counts it.
    package var isHeld: Bool { state == .leased || state == .started }

    /// What happens to a job whose worker was lost.
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

    /// What changes in a job whose worker was lost.
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

    /// What changes when a worker is lost with the job. `lost` is the number of workers that it has lost before.
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

    /// The result of a step with the fence of another lease.
    private var wrongFence: QueueLeaseResult { state == .finished ? .finished : .lost }
}

extension QueueJobRetry {
    /// When a job is due again.
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
