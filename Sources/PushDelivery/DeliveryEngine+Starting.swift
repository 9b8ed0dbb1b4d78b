internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// From a claimed job to the client.
extension DeliveryEngine {
    /// The reason of a job that waits again because other workers send the app now.
    private static let shareLost = "worker_share"
    /// The reason of a job that waits again because another worker sends a push that it replaces.
    private static let sameCollapseID = "same_collapse_id"
    /// How long such a job waits: the push that it replaces is soon completed.
    private static let sameCollapseIDPause: Duration = .milliseconds(25)
    /// How long the jobs behind it wait, so that they are not started one after the other only to hear the same.
    private static let behindItPause: Duration = .milliseconds(250)
    /// How long a job waits for which there is no room among those that wait in this worker. All of them get the same pause, so
    /// that they keep their order.
    private static let noRoomPause: Duration = .seconds(2)
    /// The reason of a job that waits again because its start was confirmed too late.
    private static let lateStart = "late_start"
    /// The reason of a job that waits again because the queue refused its start, and how long it waits.
    private static let refusedStart = "refused_start"
    private static let refusedStartPause: Duration = .seconds(30)
    /// After this many refused starts without one that works, the queue counts as failing.
    private static let maximumRefusedStarts = 20

    func start(_ claimed: [ReadyJob]) async {
        await startOwners(oneOfEachKey(claimed))
    }

    /// Starts jobs, each of which has its key to itself.
    private func startOwners(_ jobs: [ReadyJob]) async {
        guard !jobs.isEmpty else { return }
        for ready in jobs { window.start(1, of: ready.job.lease.app) }
        var hasPaused = false
        await startDurably(jobs[...], since: options.now(), &hasPaused)
    }

    /// Starts jobs, and sends them. An error may have started them, so this is repeated until the answer is known. If the queue refuses one
    /// of them, the others are started without it, after one pause for all of them.
    private func startDurably(
        _ jobs: ArraySlice<ReadyJob>, since begun: MonotonicTime, _ hasPaused: inout Bool
    ) async {
        var wasRefused = false
        while true {
            let failure: QueueError
            do throws(QueueError) {
                let results = try await queue.start(
                    jobs.map { QueueJobStart($0.job.lease, replacement: $0.job.replacement) })
                worked(.starting)
                refusedStarts.removeAll()
                return follow(results, of: jobs, (try? await queue.now()) ?? .now, since: begun)
            } catch { failure = error }
            let isRefused = failure.mayBeOfOneStep
            if isRefused, jobs.count > 1, !isStopping {
                await startDurably(jobs.prefix(jobs.count / 2), since: begun, &hasPaused)
                return await startDurably(jobs.dropFirst(jobs.count / 2), since: begun, &hasPaused)
            }
            // A fault of the disk may pass, so one refusal isn't enough.
            if isRefused, wasRefused, let job = jobs.first?.job, (try? await queue.checkWriting()) != nil {
                return setAside(job, failure)
            }
            let isFirst = isRefused && !wasRefused
            if !isFirst { failed(.starting, failure, count: jobs.count) }
            if isStopping || failure.code == .closed {
                return await giveBackUnsent(Array(jobs), (try? await queue.now()) ?? .now)
            }
            wasRefused = isRefused
            if isFirst, hasPaused { continue }
            await pauseAfterError()
            hasPaused = hasPaused || isFirst
        }
    }

    /// Applies the queue's answer to each job.
    private func follow(
        _ results: [QueueLeaseResult], of jobs: ArraySlice<ReadyJob>, _ now: QueueTime, since begun: MonotonicTime
    ) {
        for (ready, result) in zip(jobs, results) {
            switch result {
            case .done: send(ready, now, since: begun)
            case .superseded:
                endStarted(ready.job)
                pending.finish(ready.job, .supersededByNewer)
                endWakeUp.send()
            case .busy:
                // Those that wait behind it would hear the same.
                let behind = ready.job.replacement.map { waitingStarts.takeAll(of: $0.key) } ?? []
                endStarted(ready.job)
                putBack(ready.job, Self.sameCollapseID, after: Self.sameCollapseIDPause)
                for other in behind { putBack(other.job, Self.sameCollapseID, after: Self.behindItPause) }
            default: drop(ready.job)
            }
        }
    }

    /// Makes a job wait because the queue refused to start it.
    private func setAside(_ job: HeldJob, _ error: QueueError) {
        logger.error("the queue refused the start of a job", metadata: metadata(of: job, reason: "\(error)"))
        if refusedStarts.count < Self.maximumRefusedStarts {
            refusedStarts.insert(job.lease.id)
        } else {
            failed(.starting, error)
        }
        endStarted(job)
        putBack(job, Self.refusedStart, after: Self.refusedStartPause)
    }

    // MARK: Pushes that replace each other

    /// Leaves out jobs for which a push that they replace, or the older one of these jobs, is not completed. They wait.
    private func oneOfEachKey(_ jobs: [ReadyJob]) -> [ReadyJob] {
        var (first, indices): ([ReadyJob], [UUID: Int]) = ([], [:])
        for var ready in jobs {
            guard let key = ready.job.replacement?.key else {
                first.append(ready)
                continue
            }
            if window.take(key) {
                indices[key] = first.count
                first.append(ready)
                continue
            }
            if let index = indices[key], ready.isOlder(than: first[index]) { swap(&ready, &first[index]) }
            if !waitingStarts.add(ready, for: key) { putBack(ready.job, Self.sameCollapseID, after: Self.noRoomPause) }
        }
        return first
    }

    private func putBack(_ job: HeldJob, _ reason: String, after pause: Duration = .zero) {
        pending.retry(job, after: pause, reason: reason)
        endWakeUp.send()
    }

    private func endExpired(_ job: HeldJob) {
        pending.finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
        endWakeUp.send()
    }

    /// Starts the jobs that have waited for others with the same collapse id.
    func startFreed() async {
        var (start, back): ([ReadyJob], [QueueJobLease]) = ([], [])
        let freed = waitingStarts.takeFreed()
        let now = freed.contains { $0.expires != nil } ? (try? await queue.now()) ?? .now : .now
        for ready in freed {
            if let expires = ready.expires, expires <= now {
                // What is never sent replaces nothing.
                passKey(of: ready.job)
                endExpired(ready.job)
            } else if !ready.job.hasUser, let work = apps[ready.job.lease.app], work.client != nil,
                work.pace.maySend(at: options.now()),
                case .all = work.phase.allowedJobs(at: options.now())
            {
                start.append(ready)
            } else {
                back.append(ready.job.lease)
                passKey(of: ready.job)
            }
        }
        await giveBack(back)
        await startOwners(start)
    }

    /// Gives the key of a job to the next one that waits for it, so that no newer one gets it before.
    private func passKey(of job: HeldJob) {
        guard let key = job.replacement?.key else { return }
        if waitingStarts.next(of: key) { claimWakeUp.send() } else { window.free(key) }
    }

    /// A job is completed, or was not started after all.
    func endStarted(_ job: HeldJob) {
        window.end(1, of: job.lease.app)
        passKey(of: job)
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
        endStarted(job)
        leases.ended(job.lease)
    }

    /// Gives a started job to the client.
    ///
    /// - Parameters:
    ///   - ready: The job.
    ///   - now: The time of the queue.
    ///   - begun: When the start was asked for. The queue keeps the key of a replacement for the time limit of a push from then
    ///     on, so nothing is sent later than that.
    private func send(_ ready: ReadyJob, _ now: QueueTime, since begun: MonotonicTime) {
        var job = ready.started(at: now)
        if job.policy == .atMostOnce { suspects.startedOnce(job.lease) }
        if let expires = ready.expires, expires <= now { return endExpired(job) }
        guard let work = apps[job.lease.app], let client = work.client, var start = job.start else {
            return putBack(job, "app_changed")
        }
        let passed = job.replacement == nil ? Duration.zero : begun.duration(to: options.now())
        guard passed < client.configuration.timeout else { return putBack(job, Self.lateStart) }
        guard work.pace.maySend(at: options.now()) else { return putBack(job, Self.shareLost) }
        work.pace.sent(at: options.now())
        start.generation = work.generation
        start.isTry = ready.isTry && work.phase.sent()
        start.pushType = ready.push.typeName
        job.start = start
        let (push, timeLeft) = (ready.push, ready.expires.map { $0 - now })
        let limit = client.configuration.timeout - passed
        let timeout = min(timeLeft ?? limit, limit)
        let (sentJob, started) = (job, start)
        Task.detached { [ended, endWakeUp] in
            let outcome = await push.outcome(from: client, timeout: timeout, lifetime: timeLeft)
            ended.add(EndedJobs.Ended(job: sentJob, start: started, outcome: outcome))
            endWakeUp.send()
        }
    }
}

extension QueueJobOutcome {
    fileprivate static let supersededByNewer = QueueJobOutcome(
        .notSent, reason: superseded,
        detail: "A newer push with the same collapse id was started before this one.")
}
