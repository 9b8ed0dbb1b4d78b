internal import Hummingbird
internal import Logging
import PushHTTP
import PushJSON
package import PushQueue

/// Who has changed what. An entry is stored in the same step as its change.
enum AuditRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/audit", .admin, query: ["app", "limit", "after"], handler: list)
    ]

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        // A key for all apps also sees the entries of apps that are gone, and of several apps.
        let apps = request.isAboutAllApps ? nil : try request.askedApps()
        let limit = try request.limit()
        let after = try QueueCursor(request.query["after"], count: 1)
        let records = try await request.parts.queue.audit(of: apps, before: after?.numbers[0], limit: limit)
        let next = records.count == limit ? records.last.map { QueueCursor([$0.number]).text } : nil
        return request.list(records.map(value), next: next)
    }

    private static func value(_ record: QueueAuditRecord) -> PushJSONValue {
        var members: [String: PushJSONValue] = ["at": JobAnswer.time(record.time)]
        if !record.entry.app.isEmpty { members["app"] = .string(record.entry.app) }
        return (PushJSONValue(json: record.entry.content) ?? [:]).adding(members)
    }
}

extension APIRequest {
    /// Makes a change with the entry that the change stores, and logs the entry.
    ///
    /// - Parameters:
    ///   - action: What is done, for example `campaign.pause`.
    ///   - app: The app; empty if the change concerns several.
    ///   - object: What is changed: an id, a name, or a shortened token.
    ///   - name: The name of an object that has an id, too.
    ///   - before: What it was before; `nil` if that says nothing.
    ///   - after: What it is after; `nil` if the action says it.
    ///   - change: Makes the change.
    ///   - noted: What the change has stored, from what it returns and the entry; `nil` if it has changed nothing.
    /// - Returns: What the change returns.
    /// - Throws: What the change throws.
    func audited<Value>(
        _ action: String, app: String, object: String? = nil, name: String? = nil, before: String? = nil,
        after: String? = nil, _ change: (QueueAuditEntry) async throws -> Value,
        noted: (Value, QueueAuditEntry) -> QueueAuditEntry? = { $1 }
    ) async throws -> Value {
        let members: [(String, String?)] = [
            ("action", action), ("key", key?.id ?? ""), ("key_name", key.flatMap { $0.name.isEmpty ? nil : $0.name }),
            ("object", object), ("object_name", name), ("before", before), ("after", after),
        ]
        let entry = QueueAuditEntry(app: app, members)
        let value = try await change(entry)
        guard let entry = noted(value, entry) else { return value }
        var metadata = entry.texts
        if !app.isEmpty { metadata["app"] = app }
        parts.logger.notice("An operator's change", metadata: metadata.mapValues { "\($0)" })
        return value
    }
}

extension QueueAuditEntry {
    /// An entry with the members that are not `nil`.
    package init(app: String, _ members: [(String, String?)]) {
        let content = PushJSONValue.members(members.map { ($0.0, $0.1.map(PushJSONValue.string)) })
        self.init(app: app, content: content.encoded)
    }

    private func adding(_ members: [String: PushJSONValue]) -> QueueAuditEntry {
        QueueAuditEntry(app: app, content: (PushJSONValue(json: content) ?? [:]).adding(members).encoded)
    }

    func adding(object: String) -> QueueAuditEntry { adding(["object": .string(object)]) }

    /// The same with how many jobs were changed; `nil` if none was.
    func adding(count: Int) -> QueueAuditEntry? { count > 0 ? adding(["count": .integer(count)]) : nil }

    /// The audit of a change of many jobs, whose entries count them.
    package var counting: QueueAudit { QueueAudit { count in count.flatMap(adding(count:)) ?? self } }

    fileprivate var texts: [String: String] {
        guard case .object(let members)? = PushJSONValue(json: content) else { return [:] }
        return members.compactMapValues { value in
            switch value {
            case .string(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        }
    }
}
