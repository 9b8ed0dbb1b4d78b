internal import NIOConcurrencyHelpers
internal import Synchronization

struct PoolView: Sendable {
    var watch: PoolWatch
    var queued = 0
    /// The number of callers that wait for space in the queue.
    var waitingForRoom = 0
    /// The maximum of notifications and of bytes in the queue.
    var bound = (count: 0, bytes: 0)
    var streamsPerConnection = 0
    /// Why nothing is sent, if the credentials were refused.
    var haltMessage: String?
    /// Why nothing can be sent yet.
    var whyItWaits = ""
}

/// The figures that a pool publishes. Any thread may read them.
final class PublishedPoolFigures: Sendable {
    private let latest: NIOLockedValueBox<PoolView>
    private let ahead: Synchronization.Atomic<Int>

    /// Publishes a pool that has not begun.
    init(_ growth: PoolGrowth, readAhead: Int) {
        latest = NIOLockedValueBox(PoolView(watch: PoolWatch(growth: growth)))
        ahead = Synchronization.Atomic(readAhead)
    }

    var view: PoolView {
        get { latest.withLockedValue { $0 } }
        set { latest.withLockedValue { $0 = newValue } }
    }

    /// The maximum number of notifications that a sequence reads ahead.
    var readAhead: Int {
        get { ahead.load(ordering: .relaxed) }
        set { ahead.store(newValue, ordering: .relaxed) }
    }
}
