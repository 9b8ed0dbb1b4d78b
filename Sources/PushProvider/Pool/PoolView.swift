internal import NIOConcurrencyHelpers
internal import Synchronization

/// The state of a pool from which a diagnosis is created.
struct PoolView: Sendable {
    var watch: PoolWatch
    var queued: Int
    /// The number of callers that wait for space in the queue.
    var waitingForRoom: Int
    /// The maximum of notifications and of bytes in the queue.
    var bound: (count: Int, bytes: Int)
    var streamsPerConnection: Int
    /// Why nothing is sent, if the credentials were refused.
    var haltMessage: String?
    /// Why nothing can be sent yet.
    var whyItWaits: String
}

/// What a pool says about itself.
enum PoolReport: Sendable {
    /// The pool has not begun, or has ended.
    case nothing(wanted: Int)
    case checked(PoolView)
}

/// The figures that a pool publishes. Any thread may read them.
final class PublishedPoolFigures: Sendable {
    private let latest: NIOLockedValueBox<PoolReport>
    private let ahead: Synchronization.Atomic<Int>

    init(_ report: PoolReport, readAhead: Int) {
        latest = NIOLockedValueBox(report)
        ahead = Synchronization.Atomic(readAhead)
    }

    var report: PoolReport {
        get { latest.withLockedValue { $0 } }
        set { latest.withLockedValue { $0 = newValue } }
    }

    /// The maximum number of notifications that a sequence reads ahead.
    var readAhead: Int {
        get { ahead.load(ordering: .relaxed) }
        set { ahead.store(newValue, ordering: .relaxed) }
    }
}
