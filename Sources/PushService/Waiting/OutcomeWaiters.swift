internal import NIOConcurrencyHelpers
import PushPlatform
import PushQueue

/// Requests that wait for the outcome of their push. One read of the queue serves all of them.
final class OutcomeWaiters: Sendable {
    private struct Waiter {
        var id: UUID
        var app: String
        var found: AsyncStream<QueueJobRecord>.Continuation
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    /// How often the queue is read without a change by this process: another process may have changed it.
    private static let pace = Duration.seconds(1)

    private let queue: any QueueBackend
    private let state = NIOLockedValueBox(State())

    init(_ queue: any QueueBackend) {
        self.queue = queue
    }

    var count: Int { state.withLockedValue { $0.waiters.count } }

    /// Reads the queue after each change, until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [queue] in
                for await _ in queue.changes(of: .results) { await self.check() }
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.pace)) != nil { await self.check() }
            }
        }
    }

    /// Waits for the outcome of a job.
    ///
    /// - Returns: The finished job; `nil` if the time has passed or the task is cancelled.
    func outcome(of id: UUID, app: String, within time: Duration) async -> QueueJobRecord? {
        let (stream, found) = AsyncStream<QueueJobRecord>.makeStream()
        let number = state.withLockedValue { state in
            state.next += 1
            state.waiters[state.next] = Waiter(id: id, app: app, found: found)
            return state.next
        }
        defer { state.withLockedValue { _ = $0.waiters.removeValue(forKey: number) } }
        let timer = Task {
            try await Task.sleep(for: time)
            found.finish()
        }
        defer { timer.cancel() }
        // The job may have ended before.
        await check([id], app: app)
        for await job in stream { return job }
        return nil
    }

    private func check() async {
        let wanted = state.withLockedValue { state in
            Dictionary(grouping: state.waiters.values, by: \.app).mapValues { Set($0.map(\.id)) }
        }
        for (app, ids) in wanted { await check(Array(ids), app: app) }
    }

    private func check(_ ids: [UUID], app: String) async {
        // An error is not the end: the time of the waiters is.
        guard let jobs = try? await queue.jobs(ids, app: app) else { return }
        for job in jobs where job.state == .finished {
            let waiters = state.withLockedValue { state in state.waiters.values.filter { $0.id == job.id } }
            for waiter in waiters { waiter.found.yield(job) }
        }
    }
}
