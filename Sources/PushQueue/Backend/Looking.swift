/// How many jobs there are. The numbers are kept as counters.
public struct QueueCounts: Sendable, Hashable {
    /// Jobs that wait, also for their due time.
    public var waiting = 0
    /// Lines of campaigns that are not released.
    public var held = 0
    /// Jobs that a worker has and has not started.
    public var leased = 0
    /// Jobs that are being sent.
    public var started = 0
    /// Finished jobs that are still kept.
    public var kept = 0
    /// Dead letters that are still kept and were not put into the queue again.
    public var deadLetters = 0
    /// Total number of accepted jobs of the app.
    public var accepted = 0
    /// Total number of rejected jobs of the app.
    public var rejected = 0
    /// Total number of jobs of the app with an unknown outcome.
    public var unknown = 0
    /// Total number of jobs of the app that were not sent.
    public var notSent = 0

    /// Jobs that have no outcome yet.
    public var unfinished: Int { held + waiting + leased + started }

    /// Creates counts of zero.
    public init() {}
}

/// Which jobs to list.
public struct QueueJobQuery: Sendable, Hashable {
    /// A part of the jobs of an app.
    public enum Filter: Sendable, Hashable {
        /// All jobs that are kept.
        case all
        /// The jobs in a state.
        case state(QueueJobState)
        /// The finished jobs with an outcome.
        case outcome(QueueJobOutcome.Kind)
        /// The dead letters that were not put into the queue again.
        case deadLetters
    }

    /// The app.
    public var app: String
    /// Which of its jobs.
    public var filter: Filter
    /// The cursor of the page before; `nil` for the first page.
    public var after: String?
    /// The maximum number of jobs in a page, at most 1000.
    public var limit: Int

    /// Creates a query for the first page.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - filter: Which of its jobs.
    ///   - limit: The maximum number of jobs in a page.
    public init(app: String, filter: Filter = .all, limit: Int = 100) {
        (self.app, self.filter, self.limit) = (app, filter, limit)
    }
}

/// A part of a list.
public struct QueuePage<Item: Sendable>: Sendable {
    /// The items. There may be fewer than the limit, also if more follow.
    public var items: [Item]
    /// The cursor for the next page; `nil` if nothing follows.
    public var next: String?

    /// Creates a page. Backends call this.
    public init(items: [Item], next: String?) {
        (self.items, self.next) = (items, next)
    }
}

/// Outcomes in the order in which they were committed.
public struct QueueResultPage: Sendable {
    /// The finished jobs.
    public var items: [QueueJobRecord]
    /// The cursor after each item, in the order of the items.
    public var cursors: [QueueResultCursor]
    /// The cursor for the next call. It stays valid, also if this page is empty.
    public var next: QueueResultCursor
    /// Whether outcomes after the given cursor were dropped before they were read.
    public var hasGap: Bool

    /// Creates a page. Backends call this.
    public init(items: [QueueJobRecord], cursors: [QueueResultCursor], next: QueueResultCursor, hasGap: Bool) {
        (self.items, self.cursors, self.next, self.hasGap) = (items, cursors, next, hasGap)
    }
}

/// A position in the outcomes of a queue.
public struct QueueResultCursor: Sendable, Hashable, Comparable {
    /// The number of the last outcome before the position.
    public let number: Int64

    /// Creates a cursor from its number.
    public init(number: Int64) {
        self.number = number
    }

    /// Before the first outcome.
    public static let start = QueueResultCursor(number: 0)

    /// Whether a cursor comes before another one.
    public static func < (left: QueueResultCursor, right: QueueResultCursor) -> Bool {
        left.number < right.number
    }
}

/// A change that a queue announces, so that a service need not poll.
public enum QueueChange: Sendable, Hashable, CaseIterable {
    /// There is a new waiting job.
    case jobs
    /// A job has got its outcome.
    case results
    /// A campaign was started, or changed by an operator.
    case campaigns
}

/// A device token that Apple reports gone.
public struct GoneToken: Sendable, Hashable {
    /// The token.
    public var token: String
    /// Since when it is gone, according to Apple.
    public var since: QueueTime

    /// Creates a gone token.
    public init(_ token: String, since: QueueTime) {
        (self.token, self.since) = (token, since)
    }
}

/// A record of the service beside its jobs, for example a key or a pause. A queue stores it, and does not interpret it.
public struct QueueServiceRecord: Sendable, Hashable {
    /// The key, unique in its kind.
    public var key: String
    /// The content.
    public var value: [UInt8]
    /// The number of the version. It grows with each change.
    public var version: Int64

    /// Creates a record. Backends call this.
    public init(key: String, value: [UInt8], version: Int64) {
        (self.key, self.value, self.version) = (key, value, version)
    }

    /// The maximum size of ``value``, in bytes.
    public static let longestValue = 1 << 20
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
