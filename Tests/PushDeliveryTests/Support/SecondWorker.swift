import NIOConcurrencyHelpers
import NIOPosix
import PushProvider
import PushQueue
import TestSupport

@testable import PushDelivery

/// Another engine on the queue of a scene. A queue on a server is another one of its own, as in another process.
final class SecondWorker: Sendable {
    let engine: DeliveryEngine
    let log = EventLog()
    private let running: Task<Void, any Error>
    private let ownQueue: (any QueueBackend)?

    init(
        _ scene: DeliveryScene, queue: (any QueueBackend)? = nil, _ changeApp: (inout AppSettings) -> Void,
        _ change: (inout DeliveryOptions) -> Void
    ) async throws {
        var app = try scene.folder.app("shop", at: scene.mock)
        app.client.maximumConnections = 4
        changeApp(&app)
        var options = DeliveryOptions()
        options.attemptsInClient = 1
        change(&options)
        let engine = DeliveryEngine(
            queue: queue ?? scene.queue, apps: [app], options: options,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: scene.lines.logger, observer: log)
        (self.engine, ownQueue) = (engine, queue)
        running = Task { try await engine.run() }
    }

    /// Stops the engine, and waits for its end.
    func stop() async throws {
        engine.stop()
        try await running.value
        await ownQueue?.close()
    }
}
