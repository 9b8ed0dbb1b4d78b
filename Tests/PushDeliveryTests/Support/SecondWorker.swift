#if PushService
    import NIOConcurrencyHelpers
    import NIOPosix
    import PushProvider
    import TestSupport

    @testable import PushDelivery

    /// Another engine on the queue of a scene.
    final class SecondWorker: Sendable {
        let engine: DeliveryEngine
        let log = EventLog()
        private let running: Task<Void, any Error>

        init(
            _ scene: DeliveryScene, _ changeApp: (inout AppSettings) -> Void,
            _ change: (inout DeliveryOptions) -> Void
        ) async throws {
            var app = try scene.folder.app("shop", at: scene.mock)
            app.client.maximumConnections = 4
            changeApp(&app)
            var options = DeliveryOptions()
            options.attemptsInClient = 1
            change(&options)
            let engine = DeliveryEngine(
                queue: scene.queue, apps: [app], options: options,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: scene.lines.logger, observer: log)
            self.engine = engine
            running = Task { try await engine.run() }
        }

        /// Stops the engine, and waits for its end.
        func stop() async throws {
            engine.stop()
            try await running.value
        }
    }
#endif
