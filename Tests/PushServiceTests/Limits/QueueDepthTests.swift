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
}
