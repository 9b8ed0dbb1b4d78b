import PushCampaign
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// Keeps a draft from starting while a placeholder of its payload probably has a typo, whose default would be sent to everybody.
/// `pushsend batch` refuses such a list in the same words.
///
/// A draft can have several uploads and can start long after the last one. So what they show is kept in a record of its own.
enum MisspeltPlaceholders {
    private struct Misspelt: Equatable {
        /// The placeholder as it is in the payload.
        var placeholder: String
        /// What is wrong, in a sentence.
        var detail: String
    }

    /// The kind of the records. A record's key is the id of the campaign.
    static let kind = "unfilled"
    /// How many of the oldest records are looked at when one is stored. What belongs to no draft any more is removed.
    private static let pruned = 3

    /// Notes the placeholders that no line of an upload has a value for. What an earlier upload lacked may have one now.
    static func note(
        _ unfilled: [UnfilledPlaceholder], of campaign: QueueCampaign, _ queue: any QueueBackend
    ) async throws {
        guard campaign.state == .draft else { return }
        let before = try await noted(campaign, queue)
        let open = Set(unfilled.map(\.placeholder))
        var now = before.filter { open.contains($0.placeholder) }
        for one in unfilled where one.suggestion != nil && !now.contains(where: { $0.placeholder == one.placeholder }) {
            now.append(Misspelt(placeholder: one.placeholder, detail: one.description))
        }
        guard now != before else { return }
        if now.isEmpty { return try await forget(campaign.id, queue) }
        let value: PushJSONValue = [
            "app": .string(campaign.app),
            "unfilled": .array(
                now.map { ["placeholder": .string($0.placeholder), "detail": .string($0.detail)] }),
        ]
        _ = try await queue.store(value.encoded, kind: kind, key: JobAnswer.text(campaign.id), ifVersion: nil)
        try await prune(queue)
    }

    /// Refuses the start of a draft with such a placeholder, unless the request says that it is meant: `unfilled=true`.
    static func check(_ campaign: QueueCampaign, _ request: APIRequest) async throws {
        let isMeant = try request.bool("unfilled") == true
        guard campaign.state == .draft, let first = try await noted(campaign, request.parts.queue).first else { return }
        if isMeant { return try await forget(campaign.id, request.parts.queue) }
        throw APIProblem.impossible(
            "\(first.detail) Nothing was sent.", code: "placeholder_without_value", field: "payload",
            remedy: """
                Correct the payload or the lines in another campaign. If it is meant, start this one with \
                POST /v1/campaigns/\(JobAnswer.text(campaign.id))/start?unfilled=true.
                """)
    }

    // MARK: Records

    private static func noted(_ campaign: QueueCampaign, _ queue: any QueueBackend) async throws -> [Misspelt] {
        guard let record = try await queue.record(kind: kind, key: JobAnswer.text(campaign.id)),
            case .array(let items)? = PushJSONValue(json: record.value)?["unfilled"]
        else { return [] }
        return items.compactMap { item in
            guard case .string(let placeholder)? = item["placeholder"], case .string(let detail)? = item["detail"]
            else { return nil }
            return Misspelt(placeholder: placeholder, detail: detail)
        }
    }

    private static func forget(_ id: UUID, _ queue: any QueueBackend) async throws {
        _ = try await queue.removeRecord(kind: kind, key: JobAnswer.text(id), ifVersion: nil)
    }

    private static func prune(_ queue: any QueueBackend) async throws {
        for record in try await queue.records(kind: kind, after: nil, limit: pruned) {
            guard let id = UUID(uuidString: record.key),
                case .string(let app)? = PushJSONValue(json: record.value)?["app"],
                try await queue.campaign(id, app: app)?.state != .draft
            else { continue }
            try await forget(id, queue)
        }
    }
}
