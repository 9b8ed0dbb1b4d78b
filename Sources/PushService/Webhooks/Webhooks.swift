package import Logging
internal import NIOConcurrencyHelpers
package import NIOCore
internal import PushJSON
package import PushQueue
internal import ServiceLifecycle

package final class Webhooks: Service {
    private struct Work {
        var settings: WebhookSettings
        var task: Task<Void, Never>
    }

    private struct State {
        var wanted: [String: WebhookSettings]
        var isRunning = false
        var works: [String: Work] = [:]
        /// Senders that were replaced or removed, and end, by app.
        var ending: [String: Task<Void, Never>] = [:]
    }

    private let queue: any QueueBackend
    private let group: any EventLoopGroup
    private let logger: Logger
    private let worker: String?
    private let state: NIOLockedValueBox<State>

    /// Creates the webhooks. They begin when they run.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - settings: The webhook of each app that has one, by the name of the app.
    ///   - group: The threads for connections.
    ///   - logger: The logger.
    ///   - worker: The name of this worker if several use the queue: then one of them posts the webhook of an app. `nil` if there
    ///     is only this one.
    package init(
        queue: any QueueBackend, settings: [String: WebhookSettings], group: any EventLoopGroup, logger: Logger,
        worker: String? = nil
    ) {
        (self.queue, self.group, self.logger, self.worker) = (queue, group, logger, worker)
        state = NIOLockedValueBox(State(wanted: settings))
    }

    package var settings: [String: WebhookSettings] { state.withLockedValue { $0.wanted } }

    /// Stores where new webhooks begin. Call it before the service has outcomes. If the queue cannot be read now, they begin when
    /// it can.
    package func prepare() async {
        for app in state.withLockedValue({ $0.wanted.keys.sorted() }) {
            _ = try? await WebhookRecord(app: app, queue: queue).read()
        }
    }

    /// The remaining events are posted after the next start.
    package func run() async throws {
        state.withLockedValue { $0.isRunning = true }
        start()
        try? await gracefulShutdown()
        let tasks = state.withLockedValue { state in
            state.isRunning = false
            defer { (state.works, state.ending) = ([:], [:]) }
            return state.works.values.map(\.task) + state.ending.values
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    package func update(_ settings: [String: WebhookSettings]) {
        state.withLockedValue { state in
            state.wanted = settings
            for (app, work) in state.works where settings[app] != work.settings {
                work.task.cancel()
                state.ending[app] = work.task
                state.works[app] = nil
            }
        }
        start()
    }

    private func start() {
        state.withLockedValue { state in
            guard state.isRunning else { return }
            for (app, settings) in state.wanted where state.works[app] == nil {
                // Two senders of one app must not store cursors in turns.
                let before = state.ending.removeValue(forKey: app)
                let sender = WebhookSender(
                    app: app, settings: settings, queue: queue, json: { JobAnswer.value($0).encoded }, group: group,
                    logger: logger,
                    turn: worker.map { WebhookTurn(app: app, worker: $0, queue: queue, logger: logger) })
                let task = Task {
                    await before?.value
                    await sender.run()
                }
                state.works[app] = Work(settings: settings, task: task)
            }
        }
    }
}
