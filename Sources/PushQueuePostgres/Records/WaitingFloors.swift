internal import NIOConcurrencyHelpers
import PushPlatform
import PushQueue

/// Where scans of waiting jobs may begin: for each app and priority, a place before which no job waits.
///
/// While any transaction is open in the database, even one that only reads, the server can't remove the index entries of jobs that no longer
/// wait, and a scan from the beginning steps over each of them: 0.23 s for 426,000. These entries come before those of the jobs that
/// wait, so a scan that begins behind them doesn't read them. Where scans from the beginning are cheap, there are no floors.
///
/// A floor only delays a job, and never loses it: jobs that other workers put below it are found by the next full scan, and those of this
/// process lower it when they're committed. Only a scan without locks moves a floor up, because a scan that skips locked jobs misses those of
/// a worker that dies.
struct WaitingFloors {
    /// A place in the order in which jobs are claimed.
    struct Place: Hashable, Comparable {
        var due: Int64
        var id = UUID(0, 0)

        static let first = Place(due: .min)

        static func < (left: Place, right: Place) -> Bool {
            left.due != right.due ? left.due < right.due : left.id < right.id
        }
    }

    /// The floors as parameters: for each app, the places of all priorities.
    struct Places: Equatable {
        private(set) var apps: [Int32] = []
        private(set) var dues: [Int64] = []
        private(set) var ids: [UUID] = []

        init(_ places: [Int32: [Place]] = [:]) {
            for (app, places) in places {
                apps.append(app)
                dues += places.map(\.due)
                ids += places.map(\.id)
            }
        }
    }

    /// The first waiting job of an app and a priority.
    struct Head: Equatable {
        var app: Int32
        var priority: Int
        /// `nil` if no job waits.
        var place: Place?
        /// How long the server looked for it.
        var took: Duration
    }

    /// A scan for the first waiting jobs of all apps.
    struct Scan {
        let places: Places
        var heads: [Head] = []
        fileprivate let isFull: Bool
        fileprivate let began: ContinuousClock.Instant
        /// No floor is set above it.
        fileprivate let highest: Place
        fileprivate let times: Int
        fileprivate let returns: [Int32: Int]
    }

    private let pace: Duration
    private let cheap: Duration
    private var places: [Int32: [Place]] = [:]
    /// When the last full scan began; `nil` if it was cheap, so the next one is full, too.
    private var lastFull: ContinuousClock.Instant?
    /// How often everything was forgotten.
    private var times = 0
    /// For each app, how often jobs came to wait where a scan that has begun may not see them.
    private var returns: [Int32: Int] = [:]
    /// No scan that has begun sets a floor above this due time.
    private var highest = Int64.min
    private var clock: (now: QueueTime, shift: Int64)?

    /// How far floors stay behind the time of the queue. A transaction that commits later than that after its begin, or a clock that is
    /// wrong by more, makes a job wait for the next full scan. It's more than the ``PushQueue/ClockWatch/tolerance``, by which the wall clock
    /// may go back without a correction.
    static let margin = Duration.seconds(3)

    /// - Parameters:
    ///   - pace: The time between full scans. Floors end half of it later, if no other full scan has ended by then.
    ///   - cheap: An app and a priority have a floor only if the server needs at least this to find their first job.
    init(pace: Duration, cheap: Duration) {
        (self.pace, self.cheap) = (pace, cheap)
    }

    // MARK: Moving up

    mutating func scanBegan(now: QueueTime, at instant: ContinuousClock.Instant) -> Scan {
        let limit = Place(due: now.milliseconds - Self.margin.wholeMilliseconds)
        highest = max(highest, limit.due)
        let isFull = lastFull.map { $0.duration(to: instant) >= pace } ?? true
        return Scan(
            places: isFull ? Places() : Places(places), isFull: isFull, began: instant, highest: limit, times: times,
            returns: returns
        )
    }

    /// A scan has ended, and its transaction is committed.
    mutating func scanEnded(_ scan: Scan) {
        guard scan.times == times else { return }
        if scan.isFull { (places, lastFull) = ([:], scan.heads.contains { $0.took >= cheap } ? scan.began : nil) }
        for head in scan.heads where QueuePriority(rawValue: head.priority) != nil {
            let hasFloor =
                scan.isFull ? head.took >= cheap : places[head.app].map { $0[head.priority] > .first } ?? false
            guard hasFloor, scan.returns[head.app] == returns[head.app] else { continue }
            let place = min(head.place ?? scan.highest, scan.highest)
            places[head.app, default: QueuePriority.allCases.map { _ in Place.first }][head.priority] = place
        }
    }

    // MARK: Moving down

    /// A transaction is committed that made jobs of an app wait, the first of which is due at a time.
    mutating func jobsWait(of app: Int32, due: QueueTime) {
        let place = Place(due: due.milliseconds)
        if place.due < highest { returns[app, default: 0] += 1 }
        guard let known = places[app], known.contains(where: { place < $0 }) else { return }
        places[app] = known.map { min($0, place) }
    }

    /// A transaction has begun, with the time of the queue and its shift, which changes with each jump of the clock.
    mutating func transactionBegan(now: QueueTime, shift: Int64) {
        if let clock, clock.shift != shift || clock.now - now > Self.margin {
            forget()
            self.clock = (now, shift)
        } else {
            clock = (max(now, clock?.now ?? now), shift)
        }
    }

    /// Begins anew: the due times of jobs may have moved, or the server is another one.
    mutating func forget() {
        (places, lastFull, highest, returns) = ([:], nil, .min, [:])
        times += 1
    }

    // MARK: Use

    /// Where a scan of an app and a priority may begin.
    func place(of app: Int32, _ priority: QueuePriority, at instant: ContinuousClock.Instant) -> Place {
        isValid(at: instant) ? places[app]?[priority.rawValue] ?? .first : .first
    }

    /// Where scans may begin. Those of apps that aren't listed begin at the beginning.
    func places(at instant: ContinuousClock.Instant) -> Places {
        isValid(at: instant) ? Places(places) : Places()
    }

    private func isValid(at instant: ContinuousClock.Instant) -> Bool {
        lastFull.map { $0.duration(to: instant) < pace * 3 / 2 } ?? false
    }
}

/// The floors of a process. Its writers and readers share them.
final class SharedFloors: Sendable {
    private let floors: NIOLockedValueBox<WaitingFloors>
    private let servers = NIOLockedValueBox(KnownServers())

    init(_ options: PostgresQueueOptions = PostgresQueueOptions()) {
        floors = NIOLockedValueBox(WaitingFloors(pace: options.fullScanPace, cheap: options.cheapScan))
    }

    func with<Value>(_ body: (inout WaitingFloors) -> Value) -> Value { floors.withLockedValue(body) }

    /// What the process knows of the servers of its queue.
    func withServers<Value>(_ body: (inout KnownServers) -> Value) -> Value { servers.withLockedValue(body) }
}

/// Which transaction a server must have, and which servers lack one.
struct KnownServers {
    /// The last transaction with jobs that was confirmed to this process, and the name of the data.
    private var last: (transaction: Int64, data: Substring)?
    /// The servers that lack it, by the name of their data and the time of their start. Later transactions of such a server get the missing
    /// numbers, so it isn't asked again.
    private var behind: Set<String> = []

    mutating func confirmed(_ transaction: Int64, by server: String) {
        let data = Self.data(of: server)
        if let last, last.data == data, last.transaction >= transaction { return }
        last = (transaction, data)
    }

    /// The transaction that a server must have; `nil` if it has other data.
    func transaction(of server: String) -> Int64? {
        last.flatMap { $0.data == Self.data(of: server) ? $0.transaction : nil }
    }

    func isBehind(_ server: String) -> Bool { behind.contains(server) }

    mutating func lacks(_ server: String) { behind.insert(server) }

    /// The name of the data. A standby and a restored backup have the same one.
    private static func data(of server: String) -> Substring { server.prefix { $0 != " " } }
}

extension PostgresText {
    /// The condition that a job isn't before the floor of its app and priority `p`, whose columns the statement has. As a comparison of rows,
    /// it's part of the index condition.
    static func isAboveFloor(_ apps: String, _ dues: String, _ ids: String) -> String {
        """
        (job.due, job.id) >= (
            coalesce((\(dues)::int8[])[array_position(\(apps)::int4[], app.id) * 3 - 2 + p.priority], 0),
            coalesce((\(ids)::uuid[])[array_position(\(apps)::int4[], app.id) * 3 - 2 + p.priority], '\(noID)'::uuid))
        """
    }
    private static let noID = "00000000-0000-0000-0000-000000000000"
}
