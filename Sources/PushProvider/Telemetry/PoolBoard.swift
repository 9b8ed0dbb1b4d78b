internal import NIOConcurrencyHelpers
internal import Synchronization

/// What a pool writes down for others to read, whichever thread they are on.
final class PoolBoard: Sendable {
    private let latest: NIOLockedValueBox<PushDiagnosis>
    private let ahead: Synchronization.Atomic<Int>

    init(_ diagnosis: PushDiagnosis, readAhead: Int) {
        latest = NIOLockedValueBox(diagnosis)
        ahead = Synchronization.Atomic(readAhead)
    }

    var diagnosis: PushDiagnosis {
        get { latest.withLockedValue { $0 } }
        set { latest.withLockedValue { $0 = newValue } }
    }

    /// As far as batches are read ahead.
    var readAhead: Int {
        get { ahead.load(ordering: .relaxed) }
        set { ahead.store(newValue, ordering: .relaxed) }
    }
}
