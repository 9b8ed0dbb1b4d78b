/// What a transaction has changed, and writes only once, before it commits.
///
/// It is a value: a step that fails puts back the value from before it.
struct TransactionChanges: CollectedChanges {
    var counts: [Int64: QueueCounts] = [:]
    var campaigns: [Int64: CampaignStep] = [:]
    var tallies: [Int64: [CampaignStep.Outcome: Int]] = [:]
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
    var hasJobs = false
    var hasResults = false
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
}
