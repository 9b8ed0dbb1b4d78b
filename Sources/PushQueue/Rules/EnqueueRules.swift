package enum EnqueueRules {
    package struct Times: Equatable {
        package var due: QueueTime
        /// `nil` for never.
        package var expires: QueueTime?
        /// Whether the due time was counted from the clock of the queue.
        package var isDueRelative: Bool
        package var isExpiryRelative = false
    }

    package typealias Judgement = Result<Times, EnqueueResult.Refusal>

    /// Everything that takes jobs asks this.
    package static func judge(_ job: NewQueueJob, now: QueueTime) -> Judgement {
        refusal(of: job).map { .failure($0) } ?? times(of: job, now: now)
    }

    package static func times(of job: NewQueueJob, now: QueueTime) -> Judgement {
        var times = Times(due: now, expires: nil, isDueRelative: true)
        if case .at(let due) = job.due {
            guard due.isInRange else { return .failure(.timeOutOfRange) }
            if due > now { times = Times(due: due, expires: nil, isDueRelative: false) }
        }
        switch job.expiry {
        case .never: return .success(times)
        case .at(let time):
            guard time.isInRange else { return .failure(.timeOutOfRange) }
            times.expires = time
        case .after(let duration):
            times.expires = times.due + duration
            times.isExpiryRelative = times.isDueRelative
        }
        guard let expires = times.expires, expires > times.due else { return .failure(.expiresTooEarly) }
        return .success(times)
    }

    /// Why a job cannot be added, apart from its times; `nil` if it can.
    package static func refusal(of job: NewQueueJob) -> EnqueueResult.Refusal? {
        if !QueueArgument.isName(job.target.name) { return .target }
        if job.payload.isEmpty || job.payload.count > NewQueueJob.longestPayload { return .payload }
        if let variables = job.variables, variables.count > NewQueueJob.longestVariables { return .variables }
        if job.push.count > NewQueueJob.longestPush { return .push }
        if let key = job.dedupeKey, !QueueArgument.isName(key) { return .dedupeKey }
        if let id = job.id, JobKey(id) == nil { return .id }
        return nil
    }

    /// The results of a request of which nothing is added, because one invalid job refuses all; `nil` if jobs are added.
    package static func results(refusing request: EnqueueRequest, _ jobs: [Judgement]) -> [EnqueueResult]? {
        guard request.isAtomic, jobs.contains(where: { $0.refusal != nil }) else { return nil }
        return jobs.map { $0.refusal.map { .invalid($0) } ?? .omitted }
    }
}

extension EnqueueRules.Judgement {
    package var refusal: EnqueueResult.Refusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }

    package var due: QueueTime? { if case .success(let times) = self { times.due } else { nil } }
}

extension QueueJobTarget {
    package var name: String {
        switch self {
        case .device(let token): token
        case .channel(let channel): channel
        }
    }
}
