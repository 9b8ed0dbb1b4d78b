import PushPlatform
import PushQueue

/// The changes that a transaction collects, and writes once before it commits: each kind by its own statement.
struct PostgresChanges {
    /// The changes of the counters of an app.
    var counts: [Int32: QueueCounts] = [:]
    /// The changes of campaigns, by their rows.
    var campaigns: [Int32: CampaignStep] = [:]
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
    /// The jobs that get their outcome.
    var endings: [PostgresEnding] = []
    /// Tokens that are gone, with the latest time for each.
    var gone: [GoneKey: QueueTime] = [:]
    /// The statements that note the time.
    var clock: [PostgresStatement] = []
    /// Whether the row of the queue is changed, so that the commit shows whether the server accepts writes.
    var checks = false
    /// How many outcomes and gone tokens got a number in this transaction.
    var numbers: Int64 = 0
    /// Whether a job has begun to wait.
    var hasJobs = false
    /// Whether a job has its outcome.
    var hasResults = false
    /// Whether a campaign was changed by an operator.
    var hasCampaigns = false

    mutating func count(_ app: Int32, _ change: (inout QueueCounts) -> Void) {
        change(&counts[app, default: QueueCounts()])
    }

    mutating func campaign(_ row: Int32, _ change: (inout CampaignStep) -> Void) {
        change(&campaigns[row, default: CampaignStep()])
    }

    /// Notes that jobs leave one state for another; `nil` means no job.
    mutating func move(
        _ app: Int32, from old: QueueJobState?, to new: QueueJobState?, campaign: Int32? = nil, count: Int = 1
    ) {
        self.count(app) { counts in
            if let old { counts[keyPath: old.counter] -= count }
            if let new { counts[keyPath: new.counter] += count }
        }
        if let campaign {
            self.campaign(campaign) { step in
                if let counter = old?.campaignCounter { step.counts[keyPath: counter] -= count }
                if let counter = new?.campaignCounter { step.counts[keyPath: counter] += count }
            }
        }
        if new == .waiting { hasJobs = true }
    }

    /// The next number in this transaction.
    mutating func nextNumber() -> Int64 {
        numbers += 1
        return numbers
    }
}

/// A token of an app.
struct GoneKey: Hashable {
    var app: Int32
    var token: String
}

/// A job that gets its outcome.
struct PostgresEnding {
    var app: Int32
    var id: UUID
    var number: Int64
    var outcome: QueueJobOutcome
}
