#if PushService
    internal import PushPlatform
    public import PushQueue

    /// How a queue in PostgreSQL behaves.
    public struct PostgresQueueOptions: Sendable {
        /// What all queues have in common. The wall clock is that of the server, so `QueueOptions.clock` is used only by tests.
        public var queue: QueueOptions
        /// How long to wait for a connection to one host.
        public var connectTime: Duration = .seconds(5)
        /// The limit of each statement. After it, the connection is closed, as a server that does not answer may be frozen, or may no
        /// longer be the primary.
        public var statementTime: Duration = .seconds(15)
        /// How long a step that was sent and not confirmed is looked for, while another server takes over.
        public var confirmTime: Duration = .seconds(30)
        /// How often changes by other workers are looked for, if the server has reported none.
        public var pollInterval: Duration = .seconds(1)
        /// Whether the tables are made if there are none. Otherwise opening fails with `QueueError.Code.missing`.
        public var createsTables = true
        /// What is told about the server: warnings at the start.
        public var report: @Sendable (String) -> Void = { _ in }
        /// How long a step waits for a lock that another transaction holds.
        var lockTime: Duration = .seconds(8)
        /// Whether times are those of the server's clock. Tests use their own.
        var usesServerClock = true

        /// Creates the usual options.
        public init() {
            queue = QueueOptions()
            // It goes on while the machine sleeps, as the clock of the server does.
            queue.uptime = { MachineClock.timeSinceStart() }
            // Machines without a name of their last start must not count as one.
            if queue.boot.isEmpty { queue.boot = UUID().uuidString }
        }

        /// An answer that took longer says too little about when the server read its clock.
        private static let longestMoment: Duration = .seconds(1)

        /// What the clocks show, of which that of the server was asked for at an uptime.
        ///
        /// - Returns: The reading, and whether a jump can be told from it.
        func reading(server: QueueTime, askedAt before: Duration) -> (ClockReading, isExact: Bool) {
            guard usesServerClock else { return (ClockReading(queue), true) }
            let time = queue.uptime() - before
            let wall = min(max(server, .earliest), .latest)
            return (ClockReading(wall: wall, uptime: before + time / 2, boot: queue.boot), time < Self.longestMoment)
        }

        /// For connections that read.
        var readingSettings: PostgresSettings {
            var settings = settings
            settings.onlyReads = true
            return settings
        }

        /// For connections that write.
        var writingSettings: PostgresSettings {
            var settings = settings
            // A step that waits for a lock ends on the server, too, and a server whose client is gone notices it.
            settings.serverSettings["lock_timeout"] = "\(lockTime.timeoutMilliseconds)ms"
            settings.serverSettings["client_connection_check_interval"] = "5s"
            return settings
        }

        private var settings: PostgresSettings {
            var settings = PostgresSettings()
            (settings.connectTime, settings.statementTime) = (connectTime, statementTime)
            settings.serverSettings = Self.plannerSettings
            return settings
        }

        /// Each statement is written for one index. Without statistics, the planner may assume that a table is small, or that an app has few of
        /// its rows. It then reads the whole table, and a plan that is kept does so while the table grows.
        private static let plannerSettings = [
            "enable_seqscan": "off", "enable_bitmapscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
            "enable_nestloop": "on", "enable_indexscan": "on", "enable_indexonlyscan": "on", "enable_tidscan": "on",
            "enable_sort": "on", "jit": "off", "plan_cache_mode": "force_generic_plan",
        ]
    }
#endif
