internal import APNSVocabulary
internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue
internal import PushTime

/// From the queue to the clients.
extension DeliveryEngine {
    struct ClaimPlan {
        var apps: [String: Int] = [:]
        var limit = 0
        /// The earliest time at which an app that waits may send again; `nil` if no app waits for a time.
        var next: MonotonicTime?

        /// Whether these are all jobs that were due.
        func isExhausted(by jobs: [ClaimedQueueJob]) -> Bool {
            if jobs.count >= limit { return false }
            var counts: [String: Int] = [:]
            for job in jobs { counts[job.app, default: 0] += 1 }
            return apps.allSatisfy { app, maximum in counts[app] ?? 0 < maximum }
        }
    }

    /// The growth of the pauses after which jobs of an app are claimed again that the queue refused to hand out.
    private static let refusedClaimPauses = ExponentialBackoff(first: .seconds(1), longest: .seconds(30))

    func claimLoop() async {
        var idle = IdleWait()
        while !isStopping {
            await startFreed()
            let whole = claimPlan()
            var plan = whole
            if let app = claimedAlone.popLast() {
                guard let count = whole.apps[app] else { continue }
                plan.apps = [app: count]
            }
            guard !plan.apps.isEmpty else {
                // Nothing is to be claimed, so an earlier failure means nothing any more.
                if !isStoringHeldUp, !isUnprovenClaim { worked(.claiming) }
                forgetRefusedStarts()
                await claimWakeUp.wait(for: wait(until: plan.next))
                continue
            }
            var request = QueueClaimRequest(
                owner: options.owner, limit: plan.limit, lease: options.lease, apps: plan.apps)
            request.seeksSuspect = suspects.isNext(leases)
            let jobs: [ClaimedQueueJob]
            do throws(QueueError) { jobs = try await queue.claim(request) } catch {
                if await isolates(error, in: plan, of: whole) { continue }
                failed(.claiming, error)
                failsForRefusal = false
                await pauseAfterError()
                continue
            }
            endRefusals(in: plan, jobs)
            // An app without due jobs proves nothing while another is refused.
            if !jobs.isEmpty || !isUnprovenClaim { worked(.claiming) }
            // Suspects of other apps may be due.
            let looked = request.seeksSuspect && (plan.apps.count == whole.apps.count || jobs.first?.isSuspect == true)
            suspects.claimed(jobs, looked: looked)
            if jobs.isEmpty {
                forgetRefusedStarts()
            } else {
                lastHandout = options.now()
                await begin(jobs)
            }
            // A suspect comes alone, whatever else is due. After it, and a claim of others, the next one is looked for without a pause.
            if claimedAlone.isEmpty, jobs.first?.isSuspect != true, plan.isExhausted(by: jobs), !suspects.isNext(leases)
            {
                await waitForJobs(whole, &idle)
            }
        }
    }

    /// Keeps a job that the queue refuses to hand out from holding up other apps: each app is claimed alone, and one that's refused alone
    /// waits. With a single app, nothing is to be isolated.
    private func isolates(_ error: QueueError, in plan: ClaimPlan, of whole: ClaimPlan) async -> Bool {
        guard error.mayBeOfOneStep, whole.apps.count > 1, (try? await queue.checkWriting()) != nil else { return false }
        if plan.apps.count > 1 {
            claimedAlone = plan.apps.keys.sorted()
            await pauseAfterError()
            return true
        }
        guard let name = plan.apps.keys.first, let work = apps[name] else { return false }
        if work.refusedClaim == nil {
            logger.error("the queue refused to hand out jobs", metadata: ["app": "\(name)", "reason": "\(error)"])
        }
        let (count, now) = ((work.refusedClaim?.count ?? 0) + 1, options.now())
        let until = now.advanced(by: Self.refusedClaimPauses.pause(after: count - 1))
        let since = work.refusedClaim?.since ?? now
        work.refusedClaim = AppWork.RefusedClaim(reason: "\(error)", count: count, since: since, until: until)
        // Without a job for another app since then, nothing shows that the queue works.
        if count > 1, lastHandout.map({ $0 < since }) ?? true {
            failed(.claiming, error)
            failsForRefusal = true
        }
        return true
    }

    /// Whether the step fails because an app is refused. Then a claim without jobs doesn't show that it works.
    private var isUnprovenClaim: Bool {
        failsForRefusal && apps.values.contains { $0.refusedClaim != nil && $0.client != nil }
    }

    /// Nothing is left to start, so a refused start means nothing any more.
    private func forgetRefusedStarts() {
        guard !refusedStarts.isEmpty else { return }
        worked(.starting)
        refusedStarts.removeAll()
    }

    /// Ends the refusal of each app that the claim was for. If jobs of other apps filled the claim, it says nothing about this one.
    private func endRefusals(in plan: ClaimPlan, _ jobs: [ClaimedQueueJob]) {
        let isComplete = jobs.count < plan.limit && jobs.first?.isSuspect != true
        for name in plan.apps.keys {
            guard let work = apps[name], work.refusedClaim != nil,
                isComplete || jobs.contains(where: { $0.app == name })
            else { continue }
            work.refusedClaim = nil
            logger.notice("the queue hands out jobs again", metadata: ["app": "\(name)"])
        }
    }

    /// Whether too few outcomes are stored. What cannot be stored must not grow.
    private var isStoringHeldUp: Bool { queueFailures.isFailing(.storing) || pending.count >= PendingSteps.maximum }

    private func claimPlan() -> ClaimPlan {
        let now = options.now()
        var plan = ClaimPlan()
        isShortOfRoom = isStoringHeldUp
        if isShortOfRoom { return plan }
        func wait(for time: MonotonicTime) { plan.next = min(time, plan.next ?? time) }
        for (name, work) in apps where work.client != nil {
            if let refused = work.refusedClaim, now < refused.until {
                wait(for: refused.until)
                continue
            }
            if options.isShared { follow(work, at: now) }
            var room = min(window.room(for: name), max(work.window.maximumInFlight - window.count(of: name), 0))
            if room == 0 { isShortOfRoom = true }
            for allowed in [work.phase.allowedJobs(at: now), work.pace.allowedPushes(at: now)] {
                switch allowed {
                case .all: break
                case .some(let maximum): room = min(room, maximum - (checking[name] ?? 0))
                case .none(let time):
                    if let time { wait(for: time) }
                    room = 0
                }
                if room <= 0 { break }
            }
            guard room > 0 else { continue }
            plan.apps[name] = min(room, options.claimLimit)
        }
        plan.limit = min(options.claimLimit, window.limit - window.total)
        return plan
    }

    private func wait(until time: MonotonicTime?) -> Duration {
        let wait = time.map { options.now().duration(to: $0) } ?? options.pollInterval
        return min(max(wait, .milliseconds(1)), options.pollInterval)
    }

    private func waitForJobs(_ plan: ClaimPlan, _ idle: inout IdleWait) async {
        var wait = wait(until: plan.next)
        if let now = try? await queue.now(), let due = try? await queue.nextDue(of: Array(plan.apps.keys)) {
            if due <= now { suspects.lookAgain() }
            wait = idle.wait(due: due, now: now, longest: wait)
        }
        guard !isStopping else { return }
        await claimWakeUp.wait(for: wait)
    }

    /// Waits a while, because the queue cannot be used.
    func pauseAfterError() async {
        try? await Task.sleep(for: .milliseconds(200))
    }

    // MARK: Claimed jobs

    /// The jobs of a claim, grouped by the next step for them.
    private struct Selection {
        var start: [ReadyJob] = []
        var back: [QueueJobLease] = []
        /// Apps that send one job as a trial.
        var tried: Set<String> = []
        /// Device tokens that were registered again, by app.
        var registered: [String: [String]] = [:]
    }

    private func begin(_ jobs: [ClaimedQueueJob]) async {
        leases.claimed(jobs.map(\.lease))
        check(jobs.filter { PushDetails.hasUser($0.push) })
        await begin(jobs.filter { !PushDetails.hasUser($0.push) }, .known([:]))
    }

    /// Begins jobs of which is known, as far as it can be, to whom their device tokens belong.
    func begin(_ jobs: [ClaimedQueueJob], _ owners: Owners) async {
        guard !jobs.isEmpty else { return }
        let now = (try? await queue.now()) ?? .now
        let gone = await goneTokens(among: jobs)
        var selection = Selection()
        for job in jobs { select(job, gone[job.app]?[job.target], owners, now, &selection) }
        if !pending.isEmpty { endWakeUp.send() }
        for (app, tokens) in selection.registered { try? await queue.forgetGone(tokens, app: app) }
        await giveBack(selection.back)
        await start(selection.start)
    }

    /// Gives back jobs that were not started.
    ///
    /// - Returns: The result for each job; empty if the queue fails. The jobs then wait again when their lease ends.
    @discardableResult
    func giveBack(_ jobs: [QueueJobLease]) async -> [QueueLeaseResult] {
        guard !jobs.isEmpty else { return [] }
        for lease in jobs { leases.ended(lease) }
        do throws(QueueError) { return try await queue.giveBack(jobs) } catch {
            logger.warning(
                "claimed jobs can't be returned to the queue",
                metadata: ["reason": "\(error)", "count": "\(jobs.count)"])
            return []
        }
    }

    private func goneTokens(among jobs: [ClaimedQueueJob]) async -> [String: [QueueJobTarget: QueueTime]] {
        var tokens: [String: [String]] = [:]
        for job in jobs {
            guard case .device(let token) = job.target, let work = apps[job.app], work.settings.gone != .send else {
                continue
            }
            tokens[job.app, default: []].append(token)
        }
        var gone: [String: [QueueJobTarget: QueueTime]] = [:]
        for (app, tokens) in tokens {
            for found in (try? await queue.gone(among: tokens, app: app)) ?? [] {
                gone[app, default: [:]][.device(found.token)] = found.since
            }
        }
        return gone
    }

    private func select(
        _ job: ClaimedQueueJob, _ goneSince: QueueTime?, _ owners: Owners, _ now: QueueTime,
        _ selection: inout Selection
    ) {
        var held = HeldJob(job)
        guard !isStopping, let work = apps[job.app], work.client != nil, mayStart(work, &selection) else {
            selection.back.append(job.lease)
            return
        }
        if let expires = job.expires, expires <= now {
            return pending.finish(held, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
        }
        guard var details = PushDetails(encoded: job.push) else {
            return pending.finish(held, .invalid("The push's details can't be read."))
        }
        if let user = details.user.map({ UserID($0) }) {
            switch owners {
            case .unknown(let pause): return pending.retry(held, after: pause, reason: QueueJobOutcome.recipients)
            case .known(let owners):
                // A slow table has answered for some users only. One that refuses a user whom it has accepted does not say that the
                // device is another's.
                guard let devices = try? owners[user]?.get() else {
                    let waited = owners[user] == nil ? .zero : now - job.queued
                    let pause = min(max(waited / 10, Self.withoutTablePause), Self.longestRefusalPause)
                    return pending.retry(held, after: pause, reason: QueueJobOutcome.recipients)
                }
                guard let own = devices.first(where: { job.target == .device($0.token) }) else {
                    // The table does not give all devices of a user with more.
                    guard devices.count <= RecipientDevice.maximum else {
                        return pending.retry(held, after: Self.withoutTablePause, reason: QueueJobOutcome.recipients)
                    }
                    return pending.finish(held, .ofAnother)
                }
                if let registered = own.registered { details.registeredAt = registered.date }
                held.hasUser = true
            }
        }
        if let topic = details.defaultTopic, work.refusedTopics.contains(topic) { details.defaultTopic = nil }
        let source = work.topicSource(of: details)
        if source == .earlierApp { held.earlierTopic = details.defaultTopic }
        (held.sender, held.traceID) = (details.sender, details.trace?.traceID)
        if let goneSince {
            guard let registered = details.registeredAt, QueueTime(registered) > goneSince else {
                return pending.finish(held, .gone(since: goneSince))
            }
            if case .device(let token) = job.target { selection.registered[job.app, default: []].append(token) }
        }
        let push: BuiltPush
        do throws(BuiltPush.Invalid) {
            push = try BuiltPush(job, details, app: work.settings, &payloads)
        } catch {
            return pending.finish(held, .invalid(error.text))
        }
        let timeout = work.client?.configuration.timeout ?? work.settings.client.timeout
        held.replacement = push.replacement(job, details, timeout: timeout)
        if case .device(let token) = job.target, case .after(let pause) = work.pace.ask(token, at: options.now()) {
            return pending.retry(held, after: pause, reason: "device_pace")
        }
        let isTry = work.phase.allowedJobs(at: options.now()) == .one
        if isTry { selection.tried.insert(job.app) }
        selection.start.append(
            ReadyJob(job: held, push: push, expires: job.expires, topic: source, isTry: isTry))
    }

    /// Whether another job of an app may be sent in this round.
    private func mayStart(_ work: AppWork, _ selection: inout Selection) -> Bool {
        guard work.pace.maySend(at: options.now()) else { return false }
        return switch work.phase.allowedJobs(at: options.now()) {
        case .all: true
        case .some: !selection.tried.contains(work.settings.name)
        case .none: false
        }
    }
}

extension HeldJob {
    fileprivate init(_ job: ClaimedQueueJob) {
        let target =
            switch job.target {
            case .device(let token): DeviceToken.shortened(token)
            case .channel(let channel): PeerText.printable(channel)
            }
        self.init(
            lease: job.lease, policy: job.policy, attempts: job.attempts, mayHaveArrived: job.mayHaveArrived,
            due: job.due, queued: job.queued, target: target, targetHash: job.target.hashValue, start: nil)
    }
}

extension QueueJobOutcome {
    /// The reason of a job that breaks a rule.
    package static let invalid = "invalid"
    /// The reason of a job to a device token that Apple has reported gone.
    package static let gone = "gone"

    fileprivate static func invalid(_ text: String) -> QueueJobOutcome {
        QueueJobOutcome(.notSent, reason: invalid, detail: text)
    }

    fileprivate static func gone(since: QueueTime) -> QueueJobOutcome {
        QueueJobOutcome(
            .notSent, reason: gone,
            detail: "Apple has reported the device token gone since \(since.date.rfc3339Seconds).")
    }
}
