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
    /// A placeholder that no line of the draft has a value for.
    private struct Open: Equatable {
        var placeholder: String
        /// What is wrong, in a sentence; `nil` if nothing shows that it is misspelt.
        var detail: String?
    }

    /// Notes the placeholders that no line of the draft has a value for: those that an upload lacks, and all uploads before it.
    ///
    /// - Parameters:
    ///   - unfilled: The placeholders that no line of the upload has a value for.
    ///   - campaign: The draft.
    ///   - isFirst: Whether the draft had no line before.
    ///   - queue: The queue.
    /// - Throws: `QueueError` if the queue cannot be read or changed.
    static func note(
        _ unfilled: [UnfilledPlaceholder], of campaign: QueueCampaign, isFirst: Bool, _ queue: any QueueBackend
    ) async throws {
        guard campaign.state == .draft else { return }
        let before = try await noted(campaign, queue)
        // Without a record, the lines before have a value for each.
        guard isFirst || !before.isEmpty else { return }
        let now = unfilled.compactMap { one -> Open? in
            let earlier = before.first { $0.placeholder == one.placeholder }
            guard isFirst || earlier != nil else { return nil }
            let detail = one.suggestion == nil ? nil : one.description
            return Open(placeholder: one.placeholder, detail: earlier?.detail ?? detail)
        }
        guard now != before else { return }
        if now.isEmpty { return try await CampaignRecords.unfilled.forget(campaign, queue) }
        let value: PushJSONValue = [
            "unfilled": .array(
                now.map {
                    .members([
                        ("placeholder", .string($0.placeholder)), ("detail", $0.detail.map(PushJSONValue.string)),
                    ])
                })
        ]
        try await CampaignRecords.unfilled.store(value.encoded, of: campaign, queue)
    }

    /// Refuses the start of a draft with such a placeholder, unless the request says that it is meant: `unfilled=true`.
    static func check(_ campaign: QueueCampaign, _ request: APIRequest) async throws {
        let isMeant = try request.bool("unfilled") == true
        let detail = try await noted(campaign, request.parts.queue).compactMap(\.detail).first
        guard let detail else { return }
        if isMeant { return try await CampaignRecords.unfilled.forget(campaign, request.parts.queue) }
        throw APIProblem.impossible(
            "\(detail) Nothing was sent.", code: "placeholder_without_value", field: "payload",
            remedy: """
                Correct the payload or the lines in another campaign. If you mean it, start this one with \
                POST /v1/campaigns/\(JobAnswer.text(campaign.id))/start?unfilled=true.
                """)
    }

    // MARK: Records

    private static func noted(_ campaign: QueueCampaign, _ queue: any QueueBackend) async throws -> [Open] {
        guard let value = try await CampaignRecords.unfilled.value(of: campaign, queue),
            case .array(let items)? = PushJSONValue(json: value)?["unfilled"]
        else { return [] }
        return items.compactMap { item in
            guard case .string(let placeholder)? = item["placeholder"] else { return nil }
            guard case .string(let detail)? = item["detail"] else { return Open(placeholder: placeholder) }
            return Open(placeholder: placeholder, detail: detail)
        }
    }
}
