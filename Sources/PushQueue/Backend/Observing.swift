package import PushPlatform

/// What a job is made of, beside what its record shows.
package struct QueueJobContent: Sendable, Hashable {
    /// The payload, or a template; `nil` if it was erased.
    package var payload: [UInt8]?
    package var variables: [UInt8]?
    /// The position of the outcome among all outcomes; `nil` if the job has none.
    package var result: QueueResultCursor?
}

/// Which outcomes to list, the newest first.
package struct QueueNewestQuery: Sendable, Hashable {
    package var apps: [String]
    /// Only outcomes before this one; `nil` here and below for all.
    package var before: QueueResultCursor?
    package var kind: QueueJobOutcome.Kind?
    package var reason: String?
    package var campaign: UUID?
    /// The maximum number of outcomes in a page, at most 1000.
    package var limit: Int

    package init(of apps: [String], limit: Int = 100) {
        (self.apps, self.limit) = (apps, limit)
    }
}

package struct QueueNewestPage: Sendable {
    package var items: [QueueJobRecord] = []
    /// The position of each item.
    package var cursors: [QueueResultCursor] = []
    /// What the next page is before; `nil` if nothing follows. A page may have fewer items than its limit, also if more follow.
    package var next: QueueResultCursor?
}

/// Over which times outcomes are counted together.
package enum QueueTallySpan: Int, Sendable, CaseIterable {
    case minute = 60_000
    case hour = 3_600_000

    package var kept: Duration { self == .minute ? .seconds(2 * 86_400) : .seconds(400 * 86_400) }

    package func begin(of time: QueueTime) -> QueueTime {
        QueueTime(milliseconds: time.milliseconds - time.milliseconds % Int64(rawValue))
    }

    /// The maximum number of reasons that are counted apart in a span, of an app. Others are counted as `other`.
    package static let maximumReasons = 100
    /// The maximum length of a reason that is counted apart, in bytes.
    package static let longestReason = 64
}

package struct QueueTally: Sendable, Hashable {
    package var app: String
    /// The beginning of the span; that of the first one if several were added up.
    package var begin: QueueTime
    package var kind: QueueJobOutcome.Kind
    /// The reason; of accepted pushes the push type, `broadcast` for those to a channel. Empty for none, as earlier versions counted
    /// accepted pushes.
    package var reason: String
    package var count: Int
}

/// A note of who has changed something. A queue stores it, and does not interpret it.
package struct QueueAuditEntry: Sendable, Hashable {
    /// The app that the change concerns; empty if it concerns several.
    package var app: String
    package var content: [UInt8]

    package init(app: String, content: [UInt8]) {
        (self.app, self.content) = (app, content)
    }

    package static let kept = Duration.seconds(400 * 86_400)
}

/// The entries of a change that ends or requeues jobs. They are stored in its steps, and count what was done, not what was asked for. A
/// change of several steps has an entry without a count in the first step that does something, and one with the total in the last.
package struct QueueAudit: Sendable {
    private let make: @Sendable (_ count: Int?) -> QueueAuditEntry
    private var total = 0
    /// Whether jobs have ended whose number is in no entry yet.
    package private(set) var isOpen = false

    /// Creates the audit of a change.
    ///
    /// - Parameter make: Makes an entry, with how many jobs the change has ended or requeued; `nil` if it goes on.
    package init(_ make: @escaping @Sendable (_ count: Int?) -> QueueAuditEntry) { self.make = make }

    /// The entry that a step stores; `nil` if it needs none.
    func entry(_ done: Int, isLast: Bool) -> QueueAuditEntry? {
        if isLast { return done > 0 || isOpen ? make(total + done) : nil }
        return total == 0 && done > 0 ? make(nil) : nil
    }

    /// Takes note of a step that was stored.
    package mutating func add(_ done: Int, isLast: Bool) {
        total += done
        isOpen = !isLast && total > 0
    }
}

package struct QueueAuditRecord: Sendable, Hashable {
    package var number: Int64
    package var time: QueueTime
    package var entry: QueueAuditEntry
}

extension QueueBackend {
    /// Jobs that do not exist are left out.
    package func contents(of ids: [UUID], app: String) async throws(QueueError) -> [UUID: QueueJobContent] {
        try await query { (queries) throws(QueueError) in try queries.contents(of: ids, app: app) }
    }

    package func newest(_ list: QueueNewestQuery) async throws(QueueError) -> QueueNewestPage {
        try await query { (queries) throws(QueueError) in try queries.newest(list) }
    }

    /// How many outcomes apps had since a time and before another one, with a count for each span. They are counted in the step that
    /// stores the outcome.
    package func tallies(
        of apps: [String], _ span: QueueTallySpan, since time: QueueTime, until end: QueueTime = .latest
    ) async throws(QueueError) -> [QueueTally] {
        try await query { (queries) throws(QueueError) in try queries.tallies(of: apps, span, since: time, until: end) }
    }

    /// The newest first. Without apps, the entries of all apps, and those that concern several.
    package func audit(
        of apps: [String]?, before number: Int64?, limit: Int
    ) async throws(QueueError) -> [QueueAuditRecord] {
        try await query { (queries) throws(QueueError) in
            try queries.audit(of: apps, before: number ?? .max, limit: limit)
        }
    }

    package func note(_ entry: QueueAuditEntry) async throws(QueueError) {
        try await change { (steps) throws(QueueError) in try steps.note(entry) }
    }
}
