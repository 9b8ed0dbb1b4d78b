package import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue
package import PushQueuePostgres
internal import ServiceLifecycle

/// The inboxes in databases of users: moves their rows into the queue, and outcomes back.
package final class Inboxes: Service {
    package struct Settings: Sendable {
        package var inbox: PostgresInbox
        /// How often the inbox is asked for rows while it has none.
        package var poll: Duration
        package var outcomes: Outcomes
        /// How often old outcomes are dropped, also if no new ones come.
        var dropPace = InboxFeed.defaultDropPace

        package init(_ inbox: PostgresInbox, poll: Duration, outcomes: Outcomes) {
            (self.inbox, self.poll, self.outcomes) = (inbox, poll, outcomes)
        }
    }

    package enum Outcomes: String, Sendable, CaseIterable {
        case none, failures, all
    }

    private let parts: ServiceParts
    private let settings: [Settings]
    private let keepJobs: Duration
    private let logger: Logger

    /// The pause after a failure, at first and at most.
    private static let pauses = (first: Duration.milliseconds(250), maximum: Duration.seconds(15))
    private static let agePace = Duration.seconds(15)
    /// How often a failure that comes and goes is logged.
    private static let logPace = Duration.seconds(60)

    /// Creates the inboxes. They begin when they run.
    ///
    /// - Parameters:
    ///   - service: Whose queue and apps they use.
    ///   - settings: The inboxes.
    ///   - keepJobs: How long the queue keeps finished jobs.
    ///   - logger: The logger.
    package init(_ service: PushService, _ settings: [Settings], keepJobs: Duration, logger: Logger) {
        (parts, self.settings, self.keepJobs, self.logger) = (service.api.parts, settings, keepJobs, logger)
    }

    package func run() async throws {
        let work = Task {
            await withTaskGroup { group in
                for settings in self.settings { group.addTask { await self.serve(settings) } }
            }
        }
        try? await gracefulShutdown()
        work.cancel()
        await work.value
        for settings in settings { await settings.inbox.close() }
    }

    private func serve(_ settings: Settings) async {
        let inbox = settings.inbox
        var logger = logger
        logger[metadataKey: "inbox"] = "\(inbox.label)"
        let log = logger
        // The first position is stored before the first row is moved, so that no outcome is missed.
        guard let begun = await begin(settings, log) else { return }
        await withTaskGroup { group in
            group.addTask { [self] in
                var mover = InboxMover(inbox, parts, name: begun.name, longestWait: keepJobs / 2)
                await repeating("mover", inbox, log) {
                    let begun = ContinuousClock.now
                    if try await !mover.round() {
                        try await Task.sleep(for: mover.rest(after: begun.duration(to: .now), settings.poll))
                    }
                }
            }
            group.addTask { [self] in
                await repeating("ages", inbox, log) {
                    self.parts.metrics.note(try await inbox.oldest(), ofInbox: inbox.label)
                    try await Task.sleep(for: Self.agePace)
                }
            }
            guard settings.outcomes != .none else { return }
            let (changes, wake) = (parts.queue.changes(of: .results), WakeUpSignal())
            group.addTask { for await _ in changes { wake.send() } }
            group.addTask { [self] in
                var (feed, waits) = (begun, false)
                await repeating("outcomes", inbox, log) {
                    // Also without a change: outcomes become older.
                    if waits { await wake.waitUnlessCancelled(for: settings.dropPace) }
                    try Task.checkCancellation()
                    waits = false
                    try await feed.round()
                    waits = true
                }
                // Delivery has ended before: what it left is copied now, as an export may follow.
                let last = feed
                await Task {
                    var feed = last
                    try? await feed.round()
                    try? await feed.note()
                }.value
            }
        }
    }

    /// Waits until the inbox can be used. Returns its feed at the first position; `nil` if the service ends.
    private func begin(_ settings: Settings, _ log: Logger) async -> InboxFeed? {
        var begun: InboxFeed?
        await repeating("mover", settings.inbox, log) {
            for problem in try await settings.inbox.check() { log.warning("\(problem)") }
            let name = try await InboxFeed.name(
                settings.inbox, among: self.settings.map(\.inbox), self.parts.queue)
            var feed = InboxFeed(
                settings.inbox, self.parts, name: name,
                queue: try await InboxFeed.queueName(self.parts.queue), includesAccepted: settings.outcomes == .all, log
            )
            feed.dropPace = settings.dropPace
            if settings.outcomes != .none { try await feed.begin() }
            begun = feed
            throw CancellationError()
        }
        return begun
    }

    /// Repeats a step until the task is cancelled, or the step throws `CancellationError`. A failure is logged once, and followed by a pause.
    /// One that comes and goes, such as a row that cannot be read beside others, is logged now and then.
    private func repeating(
        _ part: String, _ inbox: PostgresInbox, _ log: Logger, _ step: () async throws -> Void
    ) async {
        let key = ServiceMetrics.InboxPart(inbox: inbox.label, part: part)
        var (pause, last) = (Self.pauses.first, "")
        var (logged, isLogged, next) = ("", false, ContinuousClock.now)
        while !Task.isCancelled {
            do {
                try await step()
                parts.metrics.change(key) { $0.failure = nil }
                if isLogged { log.notice("The \(part) of the inbox works again.") }
                (pause, last, isLogged) = (Self.pauses.first, "", false)
            } catch is CancellationError {
                return
            } catch {
                let text = "\(error)"
                parts.metrics.change(key) { $0.failure = text }
                if text != last, text != logged || next <= .now {
                    log.error("The \(part) of the inbox is stopped, and will be retried: \(text)")
                    (logged, isLogged, next) = (text, true, .now + Self.logPace)
                }
                last = text
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.maximum)
            }
        }
    }
}
