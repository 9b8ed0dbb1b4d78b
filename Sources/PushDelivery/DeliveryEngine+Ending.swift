internal import APNSVocabulary
internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue
internal import PushTime

/// From the clients back to the queue.
extension DeliveryEngine {
    /// The growth of the pauses while the queue stores nothing.
    private static let storingPauses = ExponentialBackoff(first: .milliseconds(100), longest: .seconds(2))

    func endLoop() async {
        var failures = 0
        while true {
            for job in ended.take() { conclude(job) }
            endSuspicions()
            pending.readmit(at: options.now(), all: isStopping)
            if pending.isEmpty {
                failures = 0
                if isStopping, window.total == 0 { return }
                await endWakeUp.wait(for: nextEvent)
                continue
            }
            if await store() {
                failures = 0
                continue
            }
            if let storingEnd, options.now() >= storingEnd {
                logger.critical("outcomes couldn't be stored", metadata: ["count": "\(pending.count)"])
                return
            }
            try? await Task.sleep(for: Self.storingPauses.pause(after: failures))
            failures += 1
        }
    }

    // MARK: Judging

    private func conclude(_ ended: EndedJobs.Ended) {
        let (job, start, outcome) = (ended.job, ended.start, ended.outcome)
        if case .invalid(let findings) = outcome {
            let text = findings.map(\.description).joined(separator: " ")
            if let topic = job.earlierTopic, findings.contains(where: { $0.subject == APNSHeader.topic }) {
                apps[job.lease.app]?.refusedTopics.insert(topic)
                pending.finish(job, .ofEarlierTopic(text))
            } else {
                pending.finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.invalid, detail: text))
            }
            return applyToApp(.nothing, job, start)
        }
        let (next, signal) = OutcomeTable.judge(
            outcome, .init(policy: job.policy, topic: start.topic, now: start.time))
        let sending = outcome.trace.queued + outcome.trace.inFlight
        guard let work = apps[job.lease.app], work.generation == start.generation else {
            // The app was corrected since.
            let isOutdated = MismatchWindow.isMismatch(outcome)
            return add(isOutdated ? .wait(reason: "app_changed") : next, job, sending)
        }
        if case .answered = signal { work.hasBeenAccepted = true }
        if case .failed = signal { work.lastFailure = outcome }
        let source = MismatchWindow.Source(token: job.targetHash, sender: job.sender, queued: job.queued)
        if let topic = job.earlierTopic {
            // Answers to an earlier topic say nothing about the present setup.
            if case .finish(let final) = next, final.reason == QueueJobOutcome.buried {
                work.refusedTopics.insert(topic)
            }
        } else if let correction = work.window.ended(outcome, of: source) {
            add(.wait(reason: correction.kind.rawValue), job, sending)
            return applyToApp(.refused(correction), job, start)
        }
        if case .finish(let final) = next, job.earlierTopic == nil, MismatchWindow.isMismatch(outcome),
            work.window.isSuspicious(source)
        {
            hold(job, final, sending, work)
        } else {
            add(next, job, sending)
        }
        applyToApp(signal, job, start)
    }

    /// Adds what the queue has to store.
    private func add(_ next: NextStep, _ job: HeldJob, _ sending: Duration) {
        switch next {
        case .finish(let outcome): pending.finish(job, outcome, sending: sending)
        case .wait(let reason): pending.retry(job, after: .zero, reason: reason, sending: sending)
        case .again(let asked, let reason, let mayHaveArrived):
            let pause = RetryPause(
                backoff: ExponentialBackoff(first: options.firstRetryPause, longest: options.longestRetryPause)
            ).pause(attempts: job.attempts, asked: asked, chance: options.chance())
            pending.retry(job, after: pause, reason: reason, mayHaveArrived: mayHaveArrived, sending: sending)
        }
    }

    /// Applies an outcome to the state of its app.
    private func applyToApp(_ signal: AppSignal, _ job: HeldJob, _ start: HeldJob.Start) {
        guard let work = apps[job.lease.app], work.generation == start.generation else { return }
        let before = work.phase
        work.phase.ended(signal, isTry: start.isTry, now: options.now(), chance: options.chance())
        guard work.phase != before else { return }
        if work.phase.state != before.state { report(work) }
        claimWakeUp.send()
        if case .refused = work.phase.phase { retrySuspectedMismatches(work) }
    }

    func report(_ work: AppWork) {
        let status = work.status(inFlight: window.count(of: work.settings.name))
        var metadata: Logger.Metadata = ["app": "\(status.name)", "state": "\(status.state.rawValue)"]
        if let reason = status.reason { metadata["reason"] = "\(reason)" }
        let level: Logger.Level = status.state == .refused || status.state == .down ? .error : .notice
        logger.log(level: level, "the state of an app has changed", metadata: metadata)
        observer?.changed(status)
    }

    // MARK: Rejections that may come from a wrong setup

    private func hold(_ job: HeldJob, _ outcome: QueueJobOutcome, _ sending: Duration, _ work: AppWork) {
        work.suspectedMismatches.append(
            AppWork.SuspectedMismatch(
                job: job, outcome: outcome, sending: sending, until: options.now().advanced(by: options.suspicionTime)))
    }

    /// Gives their outcome to rejections whose time has passed, or whose app is no longer suspicious.
    private func endSuspicions() {
        let now = options.now()
        for work in apps.values where !work.suspectedMismatches.isEmpty {
            if isStopping {
                retrySuspectedMismatches(work)
                continue
            }
            let isClear = !work.window.isSuspicious
            for mismatch in work.suspectedMismatches where isClear || mismatch.until <= now {
                pending.finish(mismatch.job, mismatch.outcome, sending: mismatch.sending)
            }
            work.suspectedMismatches.removeAll { isClear || $0.until <= now }
        }
    }

    /// Puts jobs back whose rejections may come from a wrong setup.
    func retrySuspectedMismatches(_ work: AppWork) {
        for mismatch in work.suspectedMismatches {
            pending.retry(
                mismatch.job, after: .zero, reason: AppCorrection.Kind.mismatch.rawValue, sending: mismatch.sending)
        }
        if !work.suspectedMismatches.isEmpty { endWakeUp.send() }
        work.suspectedMismatches = []
    }

    /// How long it takes until a kept outcome is to be stored; `nil` if there is none.
    private var nextEvent: Duration? {
        let suspected = apps.values.flatMap { $0.suspectedMismatches.map(\.until) }.min()
        let next = [suspected, pending.nextReadmission].compactMap(\.self).min()
        return next.map { max(options.now().duration(to: $0), .milliseconds(1)) }
    }
}
