#if PushService
    internal import Hummingbird
    import PushJSON
    import PushQueue

    /// How the service and its apps are doing.
    enum StatusRoutes {
        static let all = [
            ServiceRoute(.get, "/v1/status", .read, query: ["app"], handler: status),
            ServiceRoute(.get, "/livez", nil) { _ in Response(Array("ok\n".utf8), type: "text/plain") },
            ServiceRoute(.get, "/readyz", nil, handler: ready),
            ServiceRoute(.get, "/v1/openapi.json", nil) { _ in
                Response(OpenAPIDocument.bytes, type: "application/json")
            },
        ]

        @Sendable private static func ready(_ request: APIRequest) async throws -> Response {
            try await request.parts.queue.checkWriting()
            return Response(Array("ok\n".utf8), type: "text/plain")
        }

        @Sendable private static func status(_ request: APIRequest) async throws -> Response {
            let apps = try request.askedApps()
            let counts = try await request.parts.queue.counts()
            let statuses = await request.parts.apps.statuses()
            var items: [JSONValue] = []
            for name in apps {
                let oldest = try await request.parts.queue.nextDue(of: [name])
                items.append(app(name, request.parts.apps[name] != nil, statuses[name], counts[name], oldest))
            }
            return Response(json: ["apps": .array(items), "now": JobAnswer.time(try await request.parts.queue.now())])
        }

        private static func app(
            _ name: String, _ isConfigured: Bool, _ status: AppStatus?, _ counts: QueueCounts?, _ oldest: QueueTime?
        ) -> JSONValue {
            .members([
                ("app", .string(name)), ("configured", .bool(isConfigured)),
                ("connected", .bool(status?.isConnected ?? false)),
                ("credentials_accepted", status?.credentialsAccepted.map(JSONValue.bool)),
                ("certificate_days_left", status?.certificateDaysLeft.map(JSONValue.integer)),
                ("paused_because", status?.pausedBecause.map(JSONValue.string)),
                ("in_flight", .integer(status?.inFlight ?? 0)), ("queue", self.counts(counts ?? QueueCounts())),
                ("next_due", oldest.map(JobAnswer.time)),
            ])
        }

        private static func counts(_ counts: QueueCounts) -> JSONValue {
            [
                "waiting": .integer(counts.waiting), "leased": .integer(counts.leased),
                "started": .integer(counts.started), "kept": .integer(counts.kept),
                "dead_letters": .integer(counts.deadLetters), "accepted": .integer(counts.accepted),
                "rejected": .integer(counts.rejected), "unknown": .integer(counts.unknown),
                "not_sent": .integer(counts.notSent),
            ]
        }
    }
#endif
