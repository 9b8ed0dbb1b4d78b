internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// Stores the outcomes of ended jobs in the queue.
extension DeliveryEngine {
    /// Stores all pending steps, or a part of them. Returns false if the queue did not store them. Then they stay pending.
    func store() async -> Bool {
        pending.readmit(at: options.now(), all: isStopping)
        var failure: QueueError?
        do throws(QueueError) { try await complete() } catch { failure = error }
        do throws(QueueError) { try await retry() } catch { failure = failure ?? error }
        if let failure {
            failed(.storing, failure, count: pending.count)
            return false
        }
        worked(.storing)
        if isShortOfRoom { claimWakeUp.send() }
        return true
    }

    private func complete() async throws(QueueError) {
        let stored = try await storeBatch(of: \.completions) { (steps) async throws(QueueError) in
            try await queue.complete(steps.map(\.step))
        }
        for (completion, result) in stored {
            release(completion.job)
            guard result == .done else {
                logLoss(completion.job, result)
                continue
            }
            // As the queue has stored it.
            let outcome = completion.outcome.afterUncertainTry(completion.job.mayHaveArrived)
            log(outcome, of: completion.job)
            notifyObserver(.finished(outcome), completion.job, completion.sending)
        }
    }

    private func retry() async throws(QueueError) {
        let stored = try await storeBatch(of: \.retries) { (steps) async throws(QueueError) in
            try await queue.retry(steps.map(\.step))
        }
        for (retry, result) in stored {
            if result == .forbidden {
                pending.finish(
                    retry.job, QueueJobOutcome(.unknown, reason: retry.step.reason), sending: retry.sending)
                continue
            }
            release(retry.job)
            guard result == .done else {
                logLoss(retry.job, result)
                continue
            }
            log(retry)
            notifyObserver(.waiting(retry.step.reason), retry.job, retry.sending)
        }
    }

    /// Stores the first steps of a list.
    ///
    /// - Returns: The steps with the answers of the queue; none if it has refused one of them.
    /// - Throws: Why none of the others can be stored now.
    private func storeBatch<Step: PendingStep>(
        of list: WritableKeyPath<PendingSteps, StepList<Step>>,
        _ store: ([Step]) async throws(QueueError) -> [QueueLeaseResult]
    ) async throws(QueueError) -> [(Step, QueueLeaseResult)] {
        let steps = pending[keyPath: list].batch
        guard !steps.isEmpty else { return [] }
        let results: [QueueLeaseResult]
        do throws(QueueError) { results = try await store(steps) } catch {
            try await refused(list, steps.map(\.job), error)
            return []
        }
        pending[keyPath: list].stored(steps.count)
        return Array(zip(steps, results))
    }

    private func refused<Step: PendingStep>(
        _ list: WritableKeyPath<PendingSteps, StepList<Step>>, _ jobs: [HeldJob], _ error: QueueError
    ) async throws(QueueError) {
        switch pending[keyPath: list].refused(jobs.count, error) {
        case .ofAll: throw error
        case .ofSome: return
        case .ofOne: break
        }
        // If the queue takes nothing else, either, the step is not the cause.
        try await queue.checkWriting()
        if let job = jobs.first { logRefusal(job, error) }
        switch pending[keyPath: list].setAside(error, at: options.now(), keeps: !isStopping) {
        case .bare: return
        case .kept(let job): passKeyEarly(job)
        case .last: throw error
        }
    }

    /// The job has ended at Apple, and the queue does not store that yet: the next push with its collapse id need not wait for it.
    private func passKeyEarly(_ job: HeldJob) {
        guard job.start != nil, job.replacement != nil else { return }
        endStarted(job)
        // After a crash its outcome is unknown, so it still counts as started.
        window.start(1, of: job.lease.app)
    }

    /// This worker no longer has the job.
    private func release(_ job: HeldJob) {
        leases.ended(job.lease)
        loggedRefusals[job.lease.id] = nil
        // The next suspect may wait for this one.
        if suspects.last == job.lease { claimWakeUp.send() }
        if job.start != nil { endStarted(job) }
    }

    private func notifyObserver(_ result: DeliveryEvent.Result, _ job: HeldJob, _ sending: Duration?) {
        observer?.ended(
            DeliveryEvent(
                app: job.lease.app, job: job.lease.id, result: result, attempts: job.attempts,
                waiting: job.start.map { max($0.time - job.due, .zero) }, sending: sending))
    }

    // MARK: Logging

    func metadata(of job: HeldJob, reason: String? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "app": "\(job.lease.app)", "job": "\(job.lease.id.uuidString.lowercased())", "target": "\(job.target)",
        ]
        if let trace = job.traceID { metadata["trace_id"] = "\(trace)" }
        if let reason { metadata["reason"] = "\(reason)" }
        return metadata
    }

    private func log(_ outcome: QueueJobOutcome, of job: HeldJob) {
        let level: Logger.Level = outcome.kind == .accepted ? .debug : .info
        guard logger.logLevel <= level else { return }
        var metadata = metadata(of: job, reason: outcome.reason)
        metadata["outcome"] = "\(outcome.kind.name)"
        logger.log(level: level, "a job has its outcome", metadata: metadata)
    }

    private func log(_ retry: PendingSteps.Retry) {
        guard logger.logLevel <= .debug else { return }
        logger.debug("a job waits for another try", metadata: metadata(of: retry.job, reason: retry.step.reason))
    }

    /// The queue refuses what it should store about a job. Each reason is logged once.
    private func logRefusal(_ job: HeldJob, _ error: QueueError) {
        guard loggedRefusals.updateValue(error, forKey: job.lease.id) != error else { return }
        logger.error("the queue refused the outcome of a job", metadata: metadata(of: job, reason: "\(error)"))
    }

    private func logLoss(_ job: HeldJob, _ result: QueueLeaseResult) {
        logger.warning(
            "a job was lost before its outcome was stored", metadata: metadata(of: job, reason: "\(result)"))
    }
}
