internal import Logging
internal import NIOCore
internal import PushDelivery
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// Posts the outcomes of an app to its webhook, in the background, at least once each.
struct WebhookSender: Sendable {
    let app: String
    let settings: WebhookSettings
    let queue: any QueueBackend
    /// The JSON of a job, in the form of the API.
    let json: @Sendable (QueueJobRecord) -> [UInt8]
    let group: any EventLoopGroup
    let logger: Logger
    /// Decides whether this worker may post; `nil` if it is the only worker.
    var turn: WebhookTurn?

    /// The longest wait between two reads of the queue: another process may have stored outcomes. After this time, the sender also
    /// tries again to read a queue that failed.
    private static let longestWait: Duration = .seconds(5)
    private static let pageSize = 200

    private var record: WebhookRecord { WebhookRecord(app: app, queue: queue) }
    private let reporter: WebhookReporter

    init(
        app: String, settings: WebhookSettings, queue: any QueueBackend,
        json: @escaping @Sendable (QueueJobRecord) -> [UInt8], group: any EventLoopGroup, logger: Logger,
        turn: WebhookTurn? = nil
    ) {
        (self.app, self.settings, self.queue, self.json) = (app, settings, queue, json)
        (self.group, self.logger, self.turn) = (group, logger, turn)
        reporter = WebhookReporter(app, queue)
    }

    /// Works until the task is cancelled.
    func run() async {
        guard let poster = WebhookPoster(settings, group: group) else { return }
        if let turn { await turn.run { await work(poster) } } else { await work(poster) }
        await poster.close()
    }

    private func work(_ poster: WebhookPoster) async {
        while !Task.isCancelled, let stored = await storedPosition() {
            await reporter.begin(settings.outcomes, stored)
            await work(from: stored, poster)
        }
    }

    /// Reads the position, and retries until the queue can be read; `nil` at the end of the task.
    private func storedPosition() async -> WebhookRecord.Stored? {
        var hasFailed = false
        while !Task.isCancelled {
            do throws(QueueError) { return try await record.read() } catch {
                if !hasFailed { log(.error, "The webhook's position can't be read.", reason: "\(error)") }
                hasFailed = true
                try? await Task.sleep(for: Self.longestWait)
            }
        }
        return nil
    }

    /// Works until the task is cancelled, or another process stores a position.
    private func work(from stored: WebhookRecord.Stored, _ poster: WebhookPoster) async {
        let machine = WebhookMachine(WebhookWindow(stored.position, giveUpAfter: settings.giveUpAfter))
        let wake = WakeUpSignal()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await _ in queue.changes(of: .results) { wake.send() } }
            tasks.addTask { await feed(machine, stored, poster, wake) }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    private func feed(
        _ machine: WebhookMachine, _ stored: WebhookRecord.Stored, _ poster: WebhookPoster, _ wake: WakeUpSignal
    ) async {
        var (stored, isFull, isCurrent) = (stored, false, true)
        var retried = await askedRetry()
        await withDiscardingTaskGroup { posts in
            while !Task.isCancelled, isCurrent {
                await read(into: machine)
                let now = await self.now()
                if await machine.window.hasFailures, case let asked = await askedRetry(), asked != retried {
                    retried = asked
                    await machine.change { $0.retryNow(now) }
                }
                for cursor in await machine.change({ $0.take(upTo: settings.requestsAtOnce, now: now) }) {
                    posts.addTask {
                        await post(cursor, poster, machine)
                        wake.send()
                    }
                }
                isCurrent = await store(machine.window.position, &stored)
                report(await machine.window.isFull, &isFull)
                var pause = Self.longestWait
                if let due = await machine.window.nextDue, due > now { pause = min(pause, due - now) }
                if isCurrent { await wake.waitUnlessCancelled(for: max(pause, .milliseconds(10))) }
            }
            posts.cancelAll()
        }
        if isCurrent { _ = await store(machine.window.position, &stored) }
    }

    /// The version of the record with which operators ask to post again what has failed; 0 if nobody has asked.
    private func askedRetry() async -> Int64 {
        (try? await queue.record(kind: WebhookReports.retryKind, key: app)?.version) ?? 0
    }

    private func read(into machine: WebhookMachine) async {
        while await machine.window.room > 0, !Task.isCancelled {
            let from = await machine.window.readTo
            let limit = min(Self.pageSize, await machine.window.room)
            guard let page = try? await queue.results(of: [app], after: from, limit: limit) else { return }
            if page.hasGap {
                logger.warning(
                    "outcomes were deleted before the webhook got them: keep finished jobs longer",
                    metadata: ["app": "\(app)"])
            }
            await machine.add(page, wanted: settings.outcomes, now: await now())
            guard page.next > from else { return }
        }
    }

    /// Stores a position, if it has changed. If the queue cannot be written, it is stored later.
    ///
    /// - Returns: `false` if another process has stored a position.
    private func store(_ position: WebhookPosition, _ stored: inout WebhookRecord.Stored) async -> Bool {
        guard position != stored.position else { return true }
        do throws(QueueError) {
            guard let version = try await record.write(position, ifVersion: stored.version) else {
                log(.warning, "Another process posts the webhook of this app, too. Messages can arrive twice.")
                return false
            }
            stored = WebhookRecord.Stored(position: position, version: version)
        } catch {
            log(.debug, "The webhook's position can't be stored.", reason: "\(error)")
        }
        return true
    }

    // MARK: Posting

    private func post(_ cursor: QueueResultCursor, _ poster: WebhookPoster, _ machine: WebhookMachine) async {
        // Another worker may have taken over.
        if let turn, !turn.isHeld { return await postpone(cursor, machine) }
        // The job is read for each attempt, so that a job that was purged is not posted.
        let before = QueueResultCursor(number: cursor.number - 1)
        guard let page = try? await queue.results(of: [app], after: before, limit: 1) else {
            return await postpone(cursor, machine)
        }
        guard let job = page.items.first, page.cursors.first == cursor else {
            log(.notice, "A webhook message was dropped, because its job is no longer kept.")
            await machine.change { $0.vanished(cursor) }
            if await machine.window.position.parked.isEmpty { await reporter.vanished(at: now()) }
            return
        }
        let body = WebhookEvent.body(of: job, json: json(job))
        // Receivers refuse a signature that is old or early. All times of the message are of the same clock.
        let now = await self.now().date
        let answer = await poster.post(
            id: WebhookEvent.id(of: job), body: body, now: now, traceparent: PushDetails.traceparent(in: job.push))
        // The end of the service does not count as a failure of the receiver.
        if answer != .taken, Task.isCancelled { return }
        await note(answer, cursor, job, body, machine)
    }

    private func postpone(_ cursor: QueueResultCursor, _ machine: WebhookMachine) async {
        let now = await self.now()
        await machine.change { $0.postponed(cursor, now: now) }
    }

    private func note(
        _ answer: WebhookPoster.Answer, _ cursor: QueueResultCursor, _ job: QueueJobRecord, _ body: [UInt8],
        _ machine: WebhookMachine
    ) async {
        let (now, chance) = (await self.now(), Double.random(in: 0...1))
        switch answer {
        case .taken:
            await machine.change { $0.succeeded(cursor) }
            await reporter.succeeded(cursor, at: now)
        case .refused(let reason):
            log(.error, "A webhook message was given up.", job, reason: reason)
            // The report comes first: what the position has passed counts as delivered otherwise.
            await reporter.failed(WebhookReports.failure(job, body, reason, isGivenUp: true, at: now), of: cursor)
            await machine.change { $0.refused(cursor, now: now, chance: chance) }
        case .failed(let reason, let asked):
            let isOver = await machine.change { $0.failed(cursor, now: now, asked: asked, chance: chance) }
            await reporter.failed(WebhookReports.failure(job, body, reason, isGivenUp: isOver, at: now), of: cursor)
            if isOver {
                log(.error, "A webhook message was given up.", job, reason: reason)
            } else {
                log(.warning, "A webhook message failed, and will be retried.", job, reason: reason)
            }
        }
    }

    private func now() async -> QueueTime { (try? await queue.now()) ?? .now }

    // MARK: Log

    /// Logs when failing messages begin to delay the others, and when that ends.
    private func report(_ isFull: Bool, _ wasFull: inout Bool) {
        guard isFull != wasFull else { return }
        wasFull = isFull
        if isFull {
            log(
                .error,
                """
                \(WebhookWindow.maximumParked) webhook messages fail. If more fail, later outcomes wait until some of these messages \
                are delivered or given up. Fix the receiver.
                """)
        } else {
            log(.notice, "Fewer webhook messages fail. Later outcomes don't wait for them.")
        }
    }

    private func log(_ level: Logger.Level, _ text: String, _ job: QueueJobRecord? = nil, reason: String? = nil) {
        var metadata: Logger.Metadata = ["app": "\(app)"]
        if let job { metadata["job"] = "\(job.id.uuidString.lowercased())" }
        if let trace = job.flatMap({ PushDetails.traceparent(in: $0.push) }) {
            metadata["trace_id"] = "\(trace.traceID)"
        }
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(level: level, "\(text)", metadata: metadata)
    }
}

enum WebhookEvent {
    /// The id of a message: the same in each repetition, so that a receiver can ignore those that it has.
    static func id(of job: QueueJobRecord) -> String { "msg_\(job.id.uuidString.lowercased())" }

    static func body(of job: QueueJobRecord, json: [UInt8]) -> [UInt8] {
        let kind = job.outcome.map(\.kind.name) ?? "unknown"
        let time = (job.finished ?? job.queued).rfc3339
        return Array("{\"type\":\"notification.\(kind)\",\"timestamp\":\"\(time)\",\"data\":".utf8) + json
            + [UInt8(ascii: "}")]
    }
}

/// The window of a webhook, for several tasks.
actor WebhookMachine {
    private(set) var window: WebhookWindow

    init(_ window: WebhookWindow) {
        self.window = window
    }

    func add(_ page: QueueResultPage, wanted: Set<QueueJobOutcome.Kind>, now: QueueTime) {
        for (job, cursor) in zip(page.items, page.cursors) {
            window.add(cursor, isWanted: job.outcome.map { wanted.contains($0.kind) } ?? false, now: now)
        }
        window.hasRead(to: page.next)
    }

    func change<Value: Sendable>(_ body: @Sendable (inout WebhookWindow) -> Value) -> Value { body(&window) }
}
