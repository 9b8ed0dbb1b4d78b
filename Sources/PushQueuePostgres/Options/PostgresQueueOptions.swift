internal import NIOConcurrencyHelpers
internal import PushPlatform
public import PushQueue

/// How a queue in PostgreSQL behaves.
public struct PostgresQueueOptions: Sendable {
    /// The options of all kinds of queues. The queue uses the clock of the server, so only tests use
    /// `QueueOptions.clock`.
    public var queue: QueueOptions
    /// How long to wait for a connection to one host.
    public var connectTime: Duration = .seconds(5)
    /// The time limit of each statement. After it, the connection is closed, because a server that does not answer
    /// may hang, or may no longer be the primary.
    public var statementTime: Duration = .seconds(15)
    /// How long to find out whether an unconfirmed step was committed, while another server takes over.
    public var confirmTime: Duration = .seconds(30)
    /// How often to look for changes by other workers if the server does not report any.
    public var pollInterval: Duration = .seconds(1)
    /// Whether to create missing tables. If this is false, opening fails with `QueueError.Code.missing`.
    public var createsTables = true
    /// Gets warnings about the server at the start.
    public var report: @Sendable (String) -> Void = { _ in }
    /// How long a step waits for a lock that another transaction holds.
    package var lockTime: Duration = .seconds(8)
    /// How long a step or a reading waits for its turn and for locks, in all. Then it fails with `QueueError.Code.busy` or `.conflict`, and
    /// a request gets 503.
    package var stepTime: Duration = .seconds(15)
    /// How long ``PostgresQueue/checkWriting()`` waits. Then it fails with `QueueError.Code.busy`, and `/readyz` gets 503.
    package var checkTime: Duration = .seconds(5)
    /// For how long a disk counts as full after it has refused a job, unless another one is stored.
    var fullTime: Duration = .seconds(15)
    /// How often scans of waiting jobs begin at the beginning, instead of behind the index entries of jobs that no longer wait, if the server
    /// needs at least ``cheapScan`` for that. A job that another worker puts there waits that long, and half of it more if scans fail.
    var fullScanPace = Duration.seconds(20)
    var cheapScan = Duration.milliseconds(20)
    /// In how many transactions a writer counts before it asks how many old versions of counters the server keeps. With ``keptCounters`` more
    /// of them than before, it goes on in rows that have none.
    var slotUses = 500
    var keptCounters: Int64 = 2000
    /// Whether this process imports an export, so that it may change the queue while it is sealed.
    package var isImport = false
    var usesServerClock = true

    /// Creates the default options.
    public init() {
        queue = QueueOptions()
        // It also counts while the machine sleeps, like the clock of the server.
        queue.uptime = { MachineClock.timeSinceStart() }
        // Machines without a name of their last start must not count as one.
        if queue.boot.isEmpty { queue.boot = UUID().uuidString }
    }

    /// After a longer answer, it is not known precisely enough when the server read its clock.
    private static let longestMoment: Duration = .seconds(1)

    /// The server time and the local uptime, read together.
    ///
    /// - Returns: The sample, and whether it is precise enough to detect a jump of the clock.
    func clockSample(server: QueueTime, askedAt before: Duration) -> (ClockSample, isExact: Bool) {
        guard usesServerClock else { return (ClockSample(queue), true) }
        let time = queue.uptime() - before
        let wall = min(max(server, .earliest), .latest)
        return (ClockSample(wall: wall, uptime: before + time / 2, boot: queue.boot), time < Self.longestMoment)
    }

    var readingSettings: PostgresSettings {
        var settings = settings
        settings.onlyReads = true
        // Less than for a writer: several readings wait for the same connection.
        settings.serverSettings["lock_timeout"] = "\((lockTime / 2).timeoutMilliseconds)ms"
        return settings
    }

    var writingSettings: PostgresSettings {
        var settings = settings
        // A step that waits for a lock ends on the server, too.
        settings.serverSettings["lock_timeout"] = "\(lockTime.timeoutMilliseconds)ms"
        return settings
    }

    private var settings: PostgresSettings {
        var settings = PostgresSettings()
        (settings.connectTime, settings.statementTime) = (connectTime, statementTime)
        settings.serverSettings = Self.plannerSettings
        // A worker has nothing to do at night, and its connections stay.
        settings.serverSettings["idle_session_timeout"] = "0"
        // The server ends a statement whose client is gone or has given it up.
        settings.serverSettings["client_connection_check_interval"] = "5s"
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

/// The time of the server, without a question each time.
final class ServerClock: Sendable {
    private let options: PostgresQueueOptions
    private let last = NIOLockedValueBox<(time: QueueTime, uptime: Duration)?>(nil)

    /// After this time, the server is asked again.
    private static let longestAge: Duration = .seconds(2)

    init(_ options: PostgresQueueOptions) {
        self.options = options
    }

    var uptime: Duration { options.queue.uptime() }

    /// The time; `nil` if the server is to be asked.
    func now() -> QueueTime? {
        let uptime = uptime
        guard let (time, before) = last.withLockedValue({ $0 }), uptime - before < Self.longestAge else {
            return nil
        }
        return time + (uptime - before)
    }

    /// The server was asked at an uptime.
    func note(_ time: QueueTime, askedAt before: Duration) {
        let after = uptime
        last.withLockedValue { $0 = (time, before + (after - before) / 2) }
    }
}
