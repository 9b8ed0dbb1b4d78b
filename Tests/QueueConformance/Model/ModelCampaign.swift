import PushPlatform
import PushQueue

/// A campaign of the model.
struct ModelCampaign {
    var id: UUID
    var new: NewQueueCampaign
    var state = QueueCampaignState.draft
    var isOpen = true
    var rate: QueueCampaignRate?
    var created: QueueTime
    var started: QueueTime?
    var ended: QueueTime?
    /// The steady time at which the campaign ended.
    var endedAt: QueueTime?
    /// The jobs of the lines, also of those that were dropped.
    var lines: [Int: UUID] = [:]
    var refusals: [Int: QueueLineRefusal] = [:]
    var failures: Set<Int> = []
    var outcomes: [QueueJobOutcome.Kind: [String: Int]] = [:]
    var lastLine = 0
    /// Millionths of a line that may be released, and the steady time at which it was so.
    var level: (amount: Int64, at: QueueTime)

    var app: String { new.app }

    /// The level at a steady time: it grows by the rate, up to that of a fifth of a second.
    func level(at time: QueueTime) -> Int64 {
        guard let rate else { return 0 }
        let perMillisecond = Int64(rate.perThousandSeconds)
        let age = min(time.milliseconds - level.at.milliseconds, 3_600_000)
        return min(level.amount + age * perMillisecond, max(1_000_000, 200 * perMillisecond))
    }
}
