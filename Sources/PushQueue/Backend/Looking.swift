/// The numbers are kept as counters.
package struct QueueCounts: Sendable, Hashable {
    /// Jobs that wait, also for their due time.
    package var waiting = 0
    /// Lines of campaigns that are not released.
    package var held = 0
    /// Jobs that a worker has and has not started.
    package var leased = 0
    package var started = 0
    /// Finished jobs that are still kept.
    package var kept = 0
    /// Dead letters that are still kept and were not put into the queue again.
    package var deadLetters = 0
    /// This and the next three are totals, also of jobs that are no longer kept.
    package var accepted = 0
    package var rejected = 0
    package var unknown = 0
    package var notSent = 0

    package var unfinished: Int { held + waiting + leased + started }

    package init() {}
}

package struct QueueJobQuery: Sendable, Hashable {
    package enum Filter: Sendable, Hashable {
        case all
        case state(QueueJobState)
        case outcome(QueueJobOutcome.Kind)
        /// The dead letters that were not put into the queue again.
        case deadLetters
        /// The newest first.
        case target(QueueJobTarget)
        /// The jobs with a collapse id, the newest first: the member of this name of ``NewQueueJob/push``, if that is a JSON object.
        case collapseID(String)
        case dedupeKey(String)
    }

    package var app: String
    package var filter: Filter
    /// The cursor of the page before; `nil` for the first page.
    package var after: String?
    /// The maximum number of jobs in a page, at most 1000.
    package var limit: Int
    /// Only jobs that are due before this time, of those that wait; `nil` for all.
    package var dueBefore: QueueTime?

    /// Creates a query for the first page.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - filter: Which of its jobs.
    ///   - limit: The maximum number of jobs in a page.
    package init(app: String, filter: Filter = .all, limit: Int = 100) {
        (self.app, self.filter, self.limit) = (app, filter, limit)
    }
}

package struct QueuePage<Item: Sendable>: Sendable {
    /// There may be fewer than the limit, also if more follow.
    package var items: [Item]
    /// The cursor for the next page; `nil` if nothing follows.
    package var next: String?

    package init(items: [Item], next: String?) {
        (self.items, self.next) = (items, next)
    }
}

/// Outcomes in the order in which they were committed.
package struct QueueResultPage: Sendable {
    package var items: [QueueJobRecord]
    /// The cursor after each item, in the order of the items.
    package var cursors: [QueueResultCursor]
    /// The cursor for the next call. It stays valid, also if this page is empty.
    package var next: QueueResultCursor
    /// Whether outcomes after the given cursor were dropped before they were read.
    package var hasGap: Bool

    package init(items: [QueueJobRecord], cursors: [QueueResultCursor], next: QueueResultCursor, hasGap: Bool) {
        (self.items, self.cursors, self.next, self.hasGap) = (items, cursors, next, hasGap)
    }
}

package struct QueueResultCursor: Sendable, Hashable, Comparable {
    /// The number of the last outcome before the position.
    package let number: Int64

    package init(number: Int64) {
        self.number = number
    }

    package static let start = QueueResultCursor(number: 0)

    package static func < (left: QueueResultCursor, right: QueueResultCursor) -> Bool {
        left.number < right.number
    }
}

/// A change that a queue announces, so that a service need not poll. Its name is the end of the name of a channel in PostgreSQL.
package enum QueueChange: String, Sendable, Hashable, CaseIterable {
    /// There is a new waiting job.
    case jobs
    /// A job has got its outcome.
    case results
    /// A campaign was started, or changed by an operator.
    case campaigns
}

package struct GoneToken: Sendable, Hashable {
    package var token: String
    /// Since when it is gone, according to Apple.
    package var since: QueueTime

    package init(_ token: String, since: QueueTime) {
        (self.token, self.since) = (token, since)
    }
}

/// A record of the service beside its jobs, for example a key or a pause. A queue stores it, and does not interpret it.
package struct QueueServiceRecord: Sendable, Hashable {
    /// Unique in its kind.
    package var key: String
    package var value: [UInt8]
    /// It grows with each change.
    package var version: Int64

    package init(key: String, value: [UInt8], version: Int64) {
        (self.key, self.value, self.version) = (key, value, version)
    }

    /// The maximum size of ``value``, in bytes.
    package static let longestValue = 1 << 20
}

/// How many jobs with lost leases wait again, or have ended.
public struct QueueLeaseRecovery: Sendable, Hashable {
    /// Jobs that wait again.
    public var waiting = 0
    /// Jobs that ended as unknown.
    public var unknown = 0
    /// Jobs that were buried.
    public var buried = 0

    /// Creates a recovery of nothing.
    public init() {}
}
