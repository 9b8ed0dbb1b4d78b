import PushDelivery
import PushQueue
import Testing

@testable import PushService

@Suite struct WebhookLeaseTests {
    private let begun = ContinuousClock.now
    private var lease = WebhookLease(worker: "a", times: HeartbeatTimes())

    private func at(_ seconds: Double) -> ContinuousClock.Instant { begun + .seconds(seconds) }

    private func record(_ worker: String, _ version: Int64) -> QueueServiceRecord {
        QueueServiceRecord(key: "shop", value: Array(worker.utf8), version: version)
    }

    @Test mutating func `a free lease is taken, and holds for three seconds from the beginning of a renewal`() {
        #expect(!lease.isHeld(at: at(0)))
        #expect(lease.found(nil, at: at(0)) == .store(ifVersion: 0))
        lease.stored(7, began: at(0))
        #expect(lease.isHeld(at: at(2.9)))
        #expect(!lease.isHeld(at: at(3)))
        #expect(lease.found(record("a", 7), at: at(3)) == .store(ifVersion: 7))
        lease.stored(8, began: at(3))
        #expect(lease.isHeld(at: at(5.9)))
    }

    @Test mutating func `the lease of another worker is taken when it was not renewed for five seconds`() {
        #expect(lease.found(record("b", 1), at: at(0)) == .wait)
        #expect(lease.found(record("b", 1), at: at(4.9)) == .wait)
        #expect(lease.found(record("b", 2), at: at(5)) == .wait)
        #expect(lease.found(record("b", 2), at: at(9.9)) == .wait)
        #expect(lease.found(record("b", 2), at: at(10)) == .store(ifVersion: 2))
        // Somebody else was faster.
        lease.stored(nil, began: at(10))
        #expect(!lease.isHeld(at: at(10)))
        #expect(lease.found(record("c", 3), at: at(11)) == .wait)
    }

    @Test mutating func `a lease that another worker has taken is not held any more`() {
        _ = lease.found(nil, at: at(0))
        lease.stored(1, began: at(0))
        #expect(lease.found(record("b", 2), at: at(1)) == .wait)
        #expect(!lease.isHeld(at: at(1)))
    }

    @Test mutating func `a renewal whose answer was lost is known by its worker`() {
        _ = lease.found(nil, at: at(0))
        #expect(lease.found(record("a", 5), at: at(1)) == .store(ifVersion: 5))
    }
}
