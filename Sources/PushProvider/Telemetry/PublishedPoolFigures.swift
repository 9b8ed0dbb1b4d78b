internal import NIOConcurrencyHelpers
internal import Synchronization

/// The figures that a pool publishes. Any thread may read them.
final class PublishedPoolFigures: Sendable {
    private let latest: NIOLockedValueBox<PushClient.Diagnosis>
    private let ahead: Synchronization.Atomic<Int>

    init(_ diagnosis: PushClient.Diagnosis, readAhead: Int) {
        latest = NIOLockedValueBox(diagnosis)
        ahead = Synchronization.Atomic(readAhead)
    }

    var diagnosis: PushClient.Diagnosis {
        get { latest.withLockedValue { $0 } }
        set { latest.withLockedValue { $0 = newValue } }
    }

    /// The maximum number of notifications that a sequence reads ahead.
    var readAhead: Int {
        get { ahead.load(ordering: .relaxed) }
        set { ahead.store(newValue, ordering: .relaxed) }
    }
}
