#if PushService
    package import Logging
    package import PushQueue
    internal import ServiceLifecycle

    /// The HTTP service: takes pushes in over HTTP, and shows what became of them.
    package final class PushService: Service {
        private let queue: any QueueBackend
        private let logger: Logger

        /// Creates a service. It listens when it runs.
        package init(queue: any QueueBackend, logger: Logger) {
            (self.queue, self.logger) = (queue, logger)
        }

        /// Serves until the graceful shutdown.
        package func run() async throws {
            try await gracefulShutdown()
        }
    }
#endif
