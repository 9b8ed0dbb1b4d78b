package import PushPlatform

/// The kinds of lines that an export has, in the order of the file, which is the order in which they are stored.
package enum ExportPart: String, Sendable, Hashable, CaseIterable {
    /// Records of the service: API keys, pauses, logins.
    case record
    case dedupeKey = "dedupe_key"
    case idempotencyKey = "idempotency_key"
    case goneToken = "gone_token"
    /// Which push of each collapse id and device is the newest that was started.
    case collapseKey = "collapse_key"
    /// Campaigns that have not ended, with their counts.
    case campaign
    /// The lines of these campaigns, whose jobs may have their outcome.
    case line
    case refusedLine = "refused_line"
    case failedLine = "failed_line"
    /// Outcomes of these campaigns, by reason.
    case outcome
    /// A payload that several jobs have. It stands before the first of them.
    case payload
    /// Jobs without an outcome.
    case job
    /// What happened to these jobs.
    case event

    /// The members of a line. Times ending in `_in` are milliseconds from the moment at which the queue was sealed; all others are
    /// milliseconds since 1970.
    package var columns: [ExportColumn] { Self.table[self] ?? [] }

    private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.members) })

    private var members: [ExportColumn] {
        switch self {
        case .record: [.text("kind"), .text("key"), .bytes("value")]
        case .dedupeKey: [.text("app"), .text("key"), .text("job"), .number("ends_in")]
        case .idempotencyKey:
            [.text("app"), .text("key"), .bytes("digest"), .number("state"), .number("ends_in"), .bytes("answer")]
        case .goneToken: [.text("app"), .text("token"), .number("since")]
        case .collapseKey: [.text("app"), .text("key"), .text("place"), .number("ends_in")]
        case .campaign: Self.campaignColumns
        case .line: [.text("campaign"), .number("line"), .text("job"), .bytes("digest")]
        case .refusedLine:
            [
                .text("campaign"), .number("line"), .text("code"), .text("detail"), .text("field"), .text("remedy"),
                .bytes("digest"),
            ]
        case .failedLine: [.text("campaign"), .number("line")]
        case .outcome: [.text("campaign"), .number("kind"), .text("reason"), .number("count")]
        case .payload: [.number("number"), .bytes("body")]
        case .job: Self.jobColumns
        case .event: [.text("app"), .text("job"), .number("time"), .text("kind"), .text("detail")]
        }
    }

    private static let campaignColumns: [ExportColumn] =
        [
            .text("id"), .text("app"), .text("name"), .text("key"), .number("state"), .number("is_open"),
            .bytes("settings"), .number("rate"), .number("starts"), .number("expires"), .number("created"),
            .number("started"),
        ]
        + [
            "last_line", "lines", "refused", "held", "waiting", "in_flight", "accepted", "rejected", "unknown",
            "not_sent",
        ].map { .number($0) }

    private static let jobColumns: [ExportColumn] =
        [.text("id"), .text("app")]
        + [
            "is_held", "priority", "policy", "is_uncertain", "attempts", "lost", "due", "is_due_relative", "expires",
            "is_expiry_relative", "queued", "started",
        ].map { .number($0) }
        + [
            .text("campaign"), .number("line"), .text("token"), .text("channel"), .bytes("push"), .bytes("variables"),
            .bytes("payload"), .number("payload_number"), .text("dedupe_key"),
        ]
}

package struct ExportColumn: Sendable, Hashable {
    package enum Kind: Sendable { case number, text, bytes }

    package var name: String
    package var kind: Kind

    static func number(_ name: String) -> ExportColumn { ExportColumn(name: name, kind: .number) }
    static func text(_ name: String) -> ExportColumn { ExportColumn(name: name, kind: .text) }
    static func bytes(_ name: String) -> ExportColumn { ExportColumn(name: name, kind: .bytes) }
}

package enum ExportValue: Sendable, Hashable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])

    package var number: Int64? { if case .number(let number) = self { number } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

/// A line of an export: a value for each column.
package struct ExportRow: Sendable, Hashable {
    package var part: ExportPart
    package var values: [ExportValue]

    package init(_ part: ExportPart, _ values: [ExportValue]) {
        (self.part, self.values) = (part, values)
    }

    /// The value of a column; `null` if the part has none of this name.
    package subscript(name: String) -> ExportValue {
        get { part.index(of: name).map { values[$0] } ?? .null }
        set { if let index = part.index(of: name) { values[index] = newValue } }
    }
}

extension ExportPart {
    package func index(of name: String) -> Int? { Self.indexes[self]?[name] }

    private static let indexes: [ExportPart: [String: Int]] = Dictionary(
        uniqueKeysWithValues: allCases.map { part in
            (part, Dictionary(uniqueKeysWithValues: part.columns.enumerated().map { ($1.name, $0) }))
        })
}

/// Lines of one part that are stored in one transaction.
package struct ImportBatch: Sendable {
    package var export: UUID
    /// When the exported queue was sealed.
    package var sealed: QueueTime
    package var part: ExportPart
    package var rows: [ExportRow]
    /// How many lines of the file come before it.
    package var start: Int
    /// How many lines of the file are stored after it.
    package var end: Int

    package init(
        of export: UUID, sealed: QueueTime, _ part: ExportPart, _ rows: [ExportRow], from start: Int, to end: Int
    ) {
        (self.export, self.sealed, self.part, self.rows) = (export, sealed, part, rows)
        (self.start, self.end) = (start, end)
    }
}
