import PushQueue
import QueueConformance
import TestSupport

@testable import PushQueuePostgres

extension QueueUnderTest {
    /// Queues in schemas of the server of the tests.
    static func postgres() throws -> QueueUnderTest {
        guard let server = try PostgresServer.shared() else { throw NoServer() }
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        @Sendable func options(_ queue: QueueOptions) -> PostgresQueue.Options {
            var options = PostgresQueue.Options.with(queue)
            // Scans begin at floors wherever they may.
            (options.fullScanPace, options.cheapScan) = (.seconds(3600), .zero)
            return options
        }
        return QueueUnderTest(
            clock: ManualClock(), open: { try await PostgresQueue(address, options: options($0)) },
            knowsEndedProcesses: false,
            reopenAfterKill: { queue, wish in
                await (queue as? PostgresQueue)?.abort()
                return try await PostgresQueue(address, options: options(wish))
            })
    }

    struct NoServer: Error {}
}

extension PostgresQueue.Options {
    /// Options whose clocks are those of a test.
    static func with(_ queue: QueueOptions) -> PostgresQueue.Options {
        var options = PostgresQueue.Options.patient
        (options.queue, options.usesServerClock) = (queue, false)
        // No change is reported without a reason.
        options.pollInterval = .seconds(3600)
        return options
    }
}
