#if PushService
    import Logging
    import PushDelivery
    import PushQueue
    import PushService
    import ServiceLifecycle

    /// What takes jobs from the queue to APNs.
    protocol DeliveryPart: Service {
        /// Takes over changed, new and removed apps, without losing a job.
        func update(_ apps: [AppSettings]) async

        /// Reads the files of credentials that have changed.
        func refreshCredentials() async
    }

    /// What programs hand their notifications to.
    protocol HTTPPart: Service {
        /// Takes over changed, new and removed apps, and the limits that can change while it runs.
        func update(_ configuration: ServiceConfiguration) async

        /// Returns where it listens, as soon as it accepts connections.
        func listening() async throws -> ListenAddress
    }

    /// The parts of a running service. They start in this order, and end in the other one.
    struct ServiceParts {
        var delivery: any DeliveryPart
        var http: any HTTPPart

        /// Creates the parts. They begin when they run.
        static func make(
            _ configuration: ServiceConfiguration, _ queue: any QueueBackend, _ logger: @Sendable (String) -> Logger
        ) -> ServiceParts {
            ServiceParts(
                delivery: IdleDelivery(),
                http: ServedHTTP(
                    service: PushService(queue: queue, logger: logger("http")), address: configuration.listen))
        }
    }

    /// A delivery that sends nothing.
    private struct IdleDelivery: DeliveryPart {
        func update(_ apps: [AppSettings]) async {}
        func refreshCredentials() async {}
        func run() async throws { try await gracefulShutdown() }
    }

    /// The HTTP service as a part.
    private struct ServedHTTP: HTTPPart {
        let service: PushService
        let address: ListenAddress

        func update(_ configuration: ServiceConfiguration) async {}
        func listening() async throws -> ListenAddress { address }
        func run() async throws { try await service.run() }
    }
#endif
