internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// A job that can be started.
struct ReadyJob {
    var job: HeldJob
    var push: BuiltPush
    var expires: QueueTime?
    /// Whether the topic is that of the app.
    var hasTopicOfApp: Bool
    /// Whether it is the one job that tries whether Apple takes requests of the app again.
    var isTry: Bool

    /// The job as it is when it is started.
    func started(at now: QueueTime) -> HeldJob {
        var job = job
        job.attempts += 1
        job.start = HeldJob.Start(time: now, generation: 0, isTry: false, hasTopicOfApp: hasTopicOfApp)
        return job
    }
}

/// From a claimed job to the client.
extension DeliveryEngine {
    /// The reason of a job that waits again because other workers send the app now.
    private static let shareLost = "worker_share"

    func start(_ jobs: [ReadyJob]) async {
        guard !jobs.isEmpty else { return }
        for ready in jobs { window.start(1, of: ready.job.lease.app) }
        let results = await startDurably(jobs.map(\.job.lease))
        let now = (try? await queue.now()) ?? .now
        guard results.count == jobs.count else { return await giveBackUnsent(jobs, now) }
        for (ready, result) in zip(jobs, results) {
            if result == .done { send(ready, now) } else { drop(ready.job) }
        }
    }

    /// Starts jobs. An error may have started them, so this is repeated until the answer is known.
    ///
    /// - Returns: The result for each job; empty if the engine stops before.
    private func startDurably(_ jobs: [QueueJobLease]) async -> [QueueLeaseResult] {
        while true {
            do throws(QueueError) {
                let results = try await queue.start(jobs)
                worked(.starting)
                return results
            } catch {
                failed(.starting, error, count: jobs.count)
                if isStopping || error.code == .closed { return [] }
                await pauseAfterError()
            }
        }
    }

    /// Gives jobs back if it is unknown whether the queue has started them. They were not sent.
    private func giveBackUnsent(_ jobs: [ReadyJob], _ now: QueueTime) async {
        let results = await giveBack(jobs.map(\.job.lease))
        for (index, ready) in jobs.enumerated() {
            if index < results.count, results[index] == .started {
                pending.retry(ready.started(at: now), after: .zero, reason: "shutdown")
            } else {
                drop(ready.job)
            }
        }
        endWakeUp.send()
    }

    /// Forgets a job that this worker no longer has.
    private func drop(_ job: HeldJob) {
        window.end(1, of: job.lease.app)
        leases.ended(job.lease)
    }

    private func send(_ ready: ReadyJob, _ now: QueueTime) {
        var job = ready.started(at: now)
        if job.policy == .atMostOnce { suspects.startedOnce(job.lease) }
        if let expires = ready.expires, expires <= now {
            pending.finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
            return endWakeUp.send()
        }
        guard let work = apps[job.lease.app], let client = work.client, var start = job.start else {
            pending.retry(job, after: .zero, reason: "app_changed")
            return endWakeUp.send()
        }
        guard work.pace.maySend(at: options.now()) else {
            pending.retry(job, after: .zero, reason: Self.shareLost)
            return endWakeUp.send()
        }
        work.pace.sent(at: options.now())
        start.generation = work.generation
        start.isTry = ready.isTry && work.phase.sent()
        job.start = start
        let (push, timeLeft) = (ready.push, ready.expires.map { $0 - now })
        let timeout = min(timeLeft ?? client.configuration.timeout, client.configuration.timeout)
        let (sentJob, begun) = (job, start)
        Task.detached { [ended, endWakeUp] in
            let result: Result<PushOutcome, PushError>
            do throws(PushError) {
                result = .success(try await push.outcome(from: client, timeout: timeout))
            } catch {
                result = .failure(error)
            }
            ended.add(EndedJobs.Ended(job: sentJob, start: begun, result: result))
            endWakeUp.send()
        }
    }
}
