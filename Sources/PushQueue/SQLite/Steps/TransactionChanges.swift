/// What a transaction has changed, and writes only once, before it commits.
///
/// It is a value: a step that fails puts back the value from before it.
struct TransactionChanges {
    /// By how much the counters of an app change.
    var counts: [Int64: QueueCounts] = [:]
    /// What changes in campaigns, by their rows.
    var campaigns: [Int64: CampaignStep] = [:]
    /// By how much the number of jobs of a lease changes.
    var held: [Int64: Int] = [:]
    /// By how much the uses of a payload change.
    var uses: [Int64: Int] = [:]
    /// The last number given to an outcome or an event.
    var sequence: Int64
    /// The last fence.
    var fence: Int64
    /// The numbers of apps, by their names.
    var apps: [String: Int64] = [:]
    /// The numbers of payloads.
    var payloads: [Payload: Int64] = [:]
    /// Whether a job waits that did not before.
    var hasJobs = false
    /// Whether a job has its outcome.
    var hasResults = false
    /// Whether a campaign was changed by an operator.
    var hasCampaigns = false

    struct Payload: Hashable {
        var app: Int64
        var body: [UInt8]

        /// Hashes all bytes with one call. The hash of an array takes longer than the insertion of a job.
        func hash(into hasher: inout Hasher) {
            hasher.combine(app)
            body.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    mutating func count(_ app: Int64, _ change: (inout QueueCounts) -> Void) {
        change(&counts[app, default: QueueCounts()])
    }

    /// Notes that a job leaves one state for another; `nil` means no job.
    mutating func move(_ app: Int64, from old: QueueJobState?, to new: QueueJobState?, line: LineKey? = nil) {
        count(app) { counts in
            if let old { counts[keyPath: old.counter] -= 1 }
            if let new { counts[keyPath: new.counter] += 1 }
        }
        if let line {
            campaign(line.campaign) { step in
                if let counter = old?.campaignCounter { step.counts[keyPath: counter] -= 1 }
                if let counter = new?.campaignCounter { step.counts[keyPath: counter] += 1 }
            }
        }
        if new == .waiting { hasJobs = true }
    }

    mutating func campaign(_ row: Int64, _ change: (inout CampaignStep) -> Void) {
        change(&campaigns[row, default: CampaignStep()])
    }
}
