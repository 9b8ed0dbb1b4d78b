#if PushService
    internal import Logging
    internal import NIOCore
    internal import PushPlatform
    internal import PushQueue

    /// Posts the outcomes of an app to its webhook, in the background, at least once each.
    struct WebhookSender: Sendable {
        let app: String
        let settings: WebhookSettings
        let queue: any QueueBackend
        /// The JSON of a job, as the API shows it.
        let json: @Sendable (JobRecord) -> [UInt8]
        let group: any EventLoopGroup
        let logger: Logger

        /// The kind of the record that has the cursor.
        static let recordKind = "webhook_cursor"
        /// How long to wait if nothing says that there are new outcomes, as another process may have stored them.
        private static let longestWait: Duration = .seconds(5)
        private static let pageSize = 200

        /// Works until the task is cancelled.
        func run() async {
            guard let poster = WebhookPoster(settings, group: group) else { return }
            let machine = WebhookMachine(
                WebhookWindow(after: await storedCursor(), giveUpAfter: settings.giveUpAfter))
            let wake = WakeUp()
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { for await _ in queue.changes(of: .results) { wake.signal() } }
                tasks.addTask { await feed(machine, poster, wake) }
                await tasks.next()
                tasks.cancelAll()
            }
            await poster.close()
        }

        private func feed(_ machine: WebhookMachine, _ poster: WebhookPoster, _ wake: WakeUp) async {
            var stored = await machine.window.cursor
            await withDiscardingTaskGroup { posts in
                while !Task.isCancelled {
                    await read(into: machine)
                    let now = await self.now()
                    for event in await machine.take(upTo: settings.requestsAtOnce, now: now) {
                        posts.addTask {
                            await post(event, poster, machine)
                            wake.signal()
                        }
                    }
                    let cursor = await machine.window.cursor
                    if cursor != stored, await store(cursor) { stored = cursor }
                    var pause = Self.longestWait
                    if let due = await machine.window.nextDue, due > now { pause = min(pause, due - now) }
                    await wake.wait(atMost: max(pause, .milliseconds(10)))
                }
                posts.cancelAll()
            }
            let cursor = await machine.window.cursor
            if cursor != stored { _ = await store(cursor) }
        }

        private func read(into machine: WebhookMachine) async {
            while await machine.window.room > 0, !Task.isCancelled {
                let from = await machine.window.readFrom
                let limit = min(Self.pageSize, await machine.window.room)
                guard let page = try? await queue.results(of: [app], after: from, limit: limit) else { return }
                if page.hasGap {
                    logger.warning(
                        "outcomes were dropped before the webhook had them: keep finished jobs longer",
                        metadata: ["app": "\(app)"])
                }
                await machine.add(page, wanted: settings.outcomes, now: await now())
                guard page.next > from else { return }
            }
        }

        private func post(_ job: JobRecord, at cursor: ResultCursor, _ poster: WebhookPoster) async
            -> WebhookPoster.Answer
        {
            await poster.post(id: Self.id(of: job), body: WebhookEvent.body(of: job, json: json(job)), now: Date())
        }

        private func post(_ event: WebhookMachine.Event, _ poster: WebhookPoster, _ machine: WebhookMachine) async {
            let answer = await post(event.job, at: event.cursor, poster)
            switch answer {
            case .taken: await machine.succeeded(event.cursor)
            case .failed(let reason, let retryAfter):
                // The end of the service is no failure of the receiver.
                guard !Task.isCancelled else { return }
                let isGivenUp = await machine.failed(
                    event.cursor, now: await now(), asked: retryAfter, chance: .random(in: 0...1))
                logger.log(
                    level: isGivenUp ? .error : .warning,
                    isGivenUp ? "a webhook message is given up" : "a webhook message failed, and is posted again",
                    metadata: ["app": "\(app)", "job": "\(event.job.id)", "reason": "\(reason)"])
            }
        }

        /// The id of a message: the same in each repetition, so that a receiver can ignore those that it has.
        static func id(of job: JobRecord) -> String { "msg_\(job.id.uuidString.lowercased())" }

        private func now() async -> QueueTime { (try? await queue.now()) ?? .now }

        private func storedCursor() async -> ResultCursor {
            let record = try? await queue.record(kind: Self.recordKind, key: app)
            let number = record.flatMap { Int64(String(decoding: $0.value, as: UTF8.self)) }
            return ResultCursor(number: number ?? 0)
        }

        private func store(_ cursor: ResultCursor) async -> Bool {
            let value = Array(String(cursor.number).utf8)
            return (try? await queue.store(value, kind: Self.recordKind, key: app, ifVersion: nil)) != nil
        }
    }

    /// The message of a webhook.
    enum WebhookEvent {
        /// The body: the type, when it happened, and the job.
        static func body(of job: JobRecord, json: [UInt8]) -> [UInt8] {
            let kind = job.outcome.map { JobAnswer.word($0.kind) } ?? "unknown"
            let time = ServiceTime.text(job.finished ?? job.queued)
            return Array("{\"type\":\"notification.\(kind)\",\"timestamp\":\"\(time)\",\"data\":".utf8) + json
                + [UInt8(ascii: "}")]
        }
    }

    /// The window of a webhook with the jobs of its events, for several tasks.
    private actor WebhookMachine {
        struct Event: Sendable {
            let cursor: ResultCursor
            let job: JobRecord
        }

        private(set) var window: WebhookWindow
        private var jobs: [ResultCursor: JobRecord] = [:]

        init(_ window: WebhookWindow) {
            self.window = window
        }

        func add(_ page: ResultPage, wanted: Set<JobOutcome.Kind>, now: QueueTime) {
            for (job, cursor) in zip(page.items, page.cursors) {
                let isWanted = job.outcome.map { wanted.contains($0.kind) } ?? false
                if isWanted { jobs[cursor] = job }
                window.add(cursor, isWanted: isWanted, now: now)
            }
            window.hasRead(to: page.next)
        }

        func take(upTo atOnce: Int, now: QueueTime) -> [Event] {
            window.take(upTo: atOnce, now: now).compactMap { cursor in
                jobs[cursor].map { Event(cursor: cursor, job: $0) }
            }
        }

        func succeeded(_ cursor: ResultCursor) {
            jobs[cursor] = nil
            window.succeeded(cursor)
        }

        func failed(_ cursor: ResultCursor, now: QueueTime, asked: Duration?, chance: Double) -> Bool {
            let isGivenUp = window.failed(cursor, now: now, asked: asked, chance: chance)
            if isGivenUp { jobs[cursor] = nil }
            return isGivenUp
        }
    }
#endif
