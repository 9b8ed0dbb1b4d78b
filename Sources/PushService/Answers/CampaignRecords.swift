import PushHTTP
import PushPlatform
import PushQueue

/// Records of a kind beside campaigns. They are in the order of their apps and of the age of their campaigns.
struct CampaignRecords {
    let kind: String
    let states: Set<QueueCampaignState>

    /// Placeholders of a draft that no line has a value for.
    static let unfilled = CampaignRecords(kind: "unfilled", states: [.draft])
    /// Why an audience has paused its campaign.
    static let mistakes = CampaignRecords(kind: "audience_mistake", states: [.running, .paused])

    /// How many lines the request had whose idempotency key made a campaign that is still open.
    static let uploads = CampaignRecords(kind: "whole_upload", states: [.draft, .running, .paused])

    /// How many of the oldest records of an app are looked at when one is stored. What no campaign needs any more is removed.
    private static let pruned = 20

    static func forget(app: String, _ queue: any QueueBackend) async throws(QueueError) {
        for records in [unfilled, mistakes, uploads] {
            while case let found = try await records.of(app, limit: 500, queue), !found.isEmpty {
                for record in found { try await records.remove(record.key, queue) }
            }
        }
    }

    func value(of campaign: QueueCampaign, _ queue: any QueueBackend) async throws(QueueError) -> [UInt8]? {
        guard states.contains(campaign.state) else { return nil }
        return try await queue.record(kind: kind, key: key(campaign.app, campaign.id))?.value
    }

    func store(_ value: [UInt8], of campaign: QueueCampaign, _ queue: any QueueBackend) async throws(QueueError) {
        _ = try await queue.store(value, kind: kind, key: key(campaign.app, campaign.id), ifVersion: nil)
        for record in try await of(campaign.app, limit: Self.pruned, queue) {
            guard let id = UUID(uuidString: String(record.key.suffix(36))) else { continue }
            let state = try await queue.campaign(id, app: campaign.app)?.state
            if !(state.map(states.contains) ?? false) { try await remove(record.key, queue) }
        }
    }

    func forget(_ campaign: QueueCampaign, _ queue: any QueueBackend) async throws(QueueError) {
        try await remove(key(campaign.app, campaign.id), queue)
    }

    private func key(_ app: String, _ id: UUID) -> String { "\(app)/\(JobAnswer.text(id))" }

    private func of(
        _ app: String, limit: Int, _ queue: any QueueBackend
    ) async throws(QueueError) -> [QueueServiceRecord] {
        let prefix = "\(app)/"
        let found = try await queue.records(kind: kind, after: prefix, limit: limit)
        return Array(found.prefix { $0.key.hasPrefix(prefix) })
    }

    private func remove(_ key: String, _ queue: any QueueBackend) async throws(QueueError) {
        _ = try await queue.removeRecord(kind: kind, key: key, ifVersion: nil)
    }
}
