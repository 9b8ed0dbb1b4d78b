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
}

/// From a claimed job to the client.
extension DeliveryEngine {
    func start(_ jobs: [ReadyJob], _ now: QueueTime) async {
        guard !jobs.isEmpty else { return }
        for ready in jobs { window.start(1, of: ready.job.lease.app) }
        let results = await startDurably(jobs.map(\.job.lease))
        for (index, ready) in jobs.enumerated() {
            if index < results.count, results[index] == .done {
                send(ready, now)
            } else {
                window.end(1, of: ready.job.lease.app)
                leases.ended(ready.job.lease)
            }
        }
    }

    /// Starts jobs. An error may have started them, so this is repeated until the answer is known.
    private func startDurably(_ jobs: [JobLease]) async -> [LeaseResult] {
        while true {
            do throws(QueueError) { return try await queue.start(jobs) } catch {
                logger.error("jobs cannot be started", metadata: ["reason": "\(error)", "count": "\(jobs.count)"])
                if isStopping || error.code == .closed { return [] }
                await pauseAfterError()
            }
        }
    }

    private func send(_ ready: ReadyJob, _ now: QueueTime) {
        var job = ready.job
        job.attempts += 1
        var start = HeldJob.Start(time: now, generation: 0, isTry: false, hasTopicOfApp: ready.hasTopicOfApp)
        job.start = start
        guard let work = apps[job.lease.app], let client = work.client else {
            pending.retry(job, after: .zero, reason: "app_changed")
            return endBell.ring()
        }
        work.bucket?.take(1, at: options.now())
        start.generation = work.generation
        start.isTry = work.phase.sent()
        job.start = start
        let (push, timeLeft) = (ready.push, ready.expires.map { $0 - now })
        let timeout = min(timeLeft ?? client.configuration.timeout, client.configuration.timeout)
        let (sentJob, begun) = (job, start)
        Task.detached { [ended, endBell] in
            let result: Result<PushOutcome, PushError>
            do throws(PushError) {
                result = .success(try await push.outcome(from: client, timeout: timeout))
            } catch {
                result = .failure(error)
            }
            ended.add(EndedJobs.Ended(job: sentJob, start: begun, result: result))
            endBell.ring()
        }
    }
}
