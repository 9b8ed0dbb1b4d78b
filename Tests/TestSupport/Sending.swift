import Dispatch
package import PushProvider

/// A send in a task of its own.
package typealias Sending = Task<PushOutcome, any Error>

extension PushClient {
    /// Starts sends in this order; when this returns, each is queued or has an outcome.
    package func start(_ count: Int, timeout: Duration? = nil) async throws -> [Sending] {
        try await start(Array(repeating: .sample(), count: count), timeout: timeout)
    }

    /// Starts sends in this order; when this returns, each is queued or has an outcome.
    package func start(_ notifications: [PushNotification], timeout: Duration? = nil) async -> [Sending] {
        let sendings = notifications.map { notification in
            Sending(executorPreference: OneByOne.shared) { [self] in
                await outcome(of: notification, timeout: timeout)
            }
        }
        await OneByOne.shared.goneThrough()
        return sendings
    }

    /// Starts a send; when this returns, it is queued or has an outcome.
    package func start(_ notification: PushNotification, timeout: Duration? = nil) async -> Sending {
        await start([notification], timeout: timeout)[0]
    }

    /// Sends once and has it accepted: the server's limit alone counts from here on.
    package func authenticate(at server: ScriptedServer) async throws {
        let sending = try await start(.sample())
        let connection = try await server.connection(1)
        try await connection.perform(.answer(try await connection.request(1).streamID, 200))
        _ = try await sending.value.get()
    }
}

extension [Sending] {
    /// The outcomes' summaries, in order.
    package var summaries: [String] {
        get async throws {
            var summaries: [String] = []
            for sending in self { summaries.append(try await sending.value.summary) }
            return summaries
        }
    }
}

extension Sending {
    package var summary: String {
        get async throws { try await value.summary }
    }
}

/// Runs tasks one by one, in the order of their start, each until it waits for something: so a test knows when a send
/// has been handed in, without looking.
package final class OneByOne: TaskExecutor {
    package static let shared = OneByOne()

    private let queue = DispatchQueue(label: "one by one")

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns when every task started before has run until its first wait.
    package func goneThrough() async {
        await Task(executorPreference: self) {}.value
    }
}
