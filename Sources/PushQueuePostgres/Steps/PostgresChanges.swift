import PushPlatform
import PushQueue

/// The changes that a transaction collects, and writes once before it commits: each kind by its own statement.
struct PostgresChanges: CollectedChanges {
    var counts: [Int32: QueueCounts] = [:]
    var campaigns: [Int32: CampaignStep] = [:]
    var tallies: [Int32: [CampaignStep.Outcome: Int]] = [:]
    /// The change of the number of jobs of a lease.
    var held: [Int64: Int] = [:]
    /// The new ends of leases that a worker has extended.
    var extended: [Int64: SteadyTime] = [:]
    /// The change of the number of uses of a shared payload.
    var uses: [Int64: Int] = [:]
    /// The numbers of apps that were created or read.
    var apps: [String: Int32] = [:]
    /// The apps that this transaction has added to the known ones.
    var knownApps: Set<Int32> = []
    /// The speed windows of campaigns, in the row of this writer.
    var windows: [Int32: SpeedWindow] = [:]
    /// The states that lines of campaigns get when a worker gives them back.
    var statesOfReturned: [Int32: QueueJobState] = [:]
    var endings: [PostgresEnding] = []
    /// Tokens that are gone, with the latest time for each.
    var gone: [AppKey: QueueTime] = [:]
    /// The statements that note the time.
    var clock: [PostgresStatement] = []
    /// Whether the row of the queue is changed, so that the commit shows whether the server accepts writes.
    var checks = false
    /// How many outcomes and gone tokens got a number in this transaction.
    var numbers: Int64 = 0
    /// The earliest due time among the jobs that begin to wait, for each app.
    var firstDue: [Int32: QueueTime] = [:]
    /// Whether due times may have moved in another way.
    var movesDue = false
    /// The scan for the first waiting jobs.
    var scan: WaitingFloors.Scan?
    /// The first fence that a lease had, or the last one that was given out.
    var firstLease: Int64?
    var hasJobs = false
    var hasResults = false
    var hasCampaigns = false

    /// A job waits from the commit on.
    mutating func waits(_ app: Int32, due: QueueTime) {
        firstDue[app] = min(firstDue[app] ?? due, due)
    }

    /// The next number in this transaction.
    mutating func nextNumber() -> Int64 {
        numbers += 1
        return numbers
    }
}

/// A key or a token of an app. All transactions lock them in this order: by app and bytes.
struct AppKey: Hashable, Comparable {
    var app: Int32
    var text: String

    static func < (first: AppKey, second: AppKey) -> Bool {
        first.app != second.app ? first.app < second.app : String.isBefore(first.text, second.text)
    }
}

/// A job that gets its outcome.
struct PostgresEnding {
    var app: Int32
    var id: UUID
    var number: Int64
    var outcome: QueueJobOutcome
}
