import NIOConcurrencyHelpers
import PushQueue
import TestSupport
import Testing

@testable import PushService

struct QueueDepthTests {
    @Test(arguments: [(10, 500), (100, 2000), (60_000, 10_000)])
    func `numbers that are slow to read are used for longer`(read: Int, age: Int) async throws {
        let folder = try TemporaryFolder()
        let queue = try SQLiteQueue(folder.path("queue.sqlite"))
        // The first look at the clock is before the reading.
        let start = ContinuousClock.now
        let times = NIOLockedValueBox([0])
        let depth = QueueDepth(queue, maximum: 1) {
            times.withLockedValue { times in
                start.advanced(by: .milliseconds(times.count > 1 ? times.removeFirst() : times[0]))
            }
        }
        times.withLockedValue { $0 = [0, read, read + age - 1, read + age] }
        #expect(try await depth.refusal(of: 1, for: "shop", amongApps: 1) == nil)
        _ = try await queue.enqueue(EnqueueRequest([NewQueueJob(to: .device("0f0f"), payload: [1])], app: "shop"))
        #expect(try await depth.refusal(of: 1, for: "shop", amongApps: 1) == nil)
        #expect(try await depth.refusal(of: 1, for: "shop", amongApps: 1)?.maximum == 1)
        await queue.close()
    }

    @Test func `what is put in while the numbers are read counts, too`() async throws {
        let folder = try TemporaryFolder()
        let queue = try SQLiteQueue(folder.path("queue.sqlite"))
        let (start, looks, added) = (
            ContinuousClock.now, NIOLockedValueBox(0), NIOLockedValueBox<(@Sendable () -> Void)?>(nil)
        )
        // The second look at the clock is after the reading.
        let depth = QueueDepth(queue, maximum: 1) {
            let look = looks.withLockedValue { looks in
                looks += 1
                return looks
            }
            if look == 2 { added.withLockedValue { $0 }?() }
            return start
        }
        added.withLockedValue { $0 = { depth.added(1, to: "shop") } }
        #expect(try await depth.refusal(of: 1, for: "shop", amongApps: 1)?.maximum == 1)
        added.withLockedValue { $0 = nil }
        await queue.close()
    }
}
