internal import Logging
internal import NIOConcurrencyHelpers
internal import PushDelivery
internal import PushQueue

/// Makes sure that only one worker at a time posts the webhook of an app.
final class WebhookTurn: Sendable {
    static let kind = "webhook_lease"

    private let app: String
    private let queue: any QueueBackend
    private let times: HeartbeatTimes
    private let logger: Logger
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let lease: NIOLockedValueBox<WebhookLease>

    /// - Parameters:
    ///   - app: The app.
    ///   - worker: The name of this worker, unlike that of any other.
    ///   - queue: The queue.
    ///   - logger: The logger.
    ///   - times: The duration of a lease.
    ///   - clock: The clock of this worker.
    init(
        app: String, worker: String, queue: any QueueBackend, logger: Logger,
        times: HeartbeatTimes = HeartbeatTimes(),
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.app, self.queue, self.times, self.clock, self.logger) = (app, queue, times, clock, logger)
        lease = NIOLockedValueBox(WebhookLease(worker: worker, times: times))
    }

    var isHeld: Bool { lease.withLockedValue { $0.isHeld(at: clock()) } }

    /// Runs the body repeatedly while this worker has the lease, until the task is cancelled.
    func run(_ body: @escaping @Sendable () async -> Void) async {
        while !Task.isCancelled {
            await renew()
            guard isHeld else {
                try? await Task.sleep(for: times.interval)
                continue
            }
            logger.info("This worker now posts the webhook.", metadata: ["app": "\(app)"])
            await runOnce(body)
            if !Task.isCancelled {
                logger.notice("Another worker now posts the webhook.", metadata: ["app": "\(app)"])
            }
        }
        await giveUp()
    }

    private func runOnce(_ body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await body() }
            while !Task.isCancelled, isHeld {
                try? await Task.sleep(for: times.interval)
                if !Task.isCancelled { await renew() }
            }
            tasks.cancelAll()
        }
    }

    /// If the queue fails, a lease ends by itself.
    private func renew() async {
        let began = clock()
        do throws(QueueError) {
            let record = try await queue.record(kind: Self.kind, key: app)
            let (step, value) = lease.withLockedValue { ($0.found(record, at: clock()), $0.value) }
            guard case .store(let version) = step else { return }
            let stored = try await queue.store(value, kind: Self.kind, key: app, ifVersion: version)
            lease.withLockedValue { $0.stored(stored, began: began) }
        } catch {
            logger.debug("A webhook's lease can't be renewed.", metadata: ["reason": "\(error)"])
        }
    }

    private func giveUp() async {
        guard let version = lease.withLockedValue({ $0.version }) else { return }
        _ = try? await queue.removeRecord(kind: Self.kind, key: app, ifVersion: version)
    }
}
