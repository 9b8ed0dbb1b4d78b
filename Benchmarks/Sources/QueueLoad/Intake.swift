import PushQueue

/// Makes jobs: each to another device token.
struct JobSource {
    /// Whether all jobs have the same payload.
    var isShared: Bool

    func job(_ number: Int) -> NewQueueJob {
        let digits = String(number, radix: 16)
        let token = Self.prefix.prefix(64 - digits.utf8.count) + digits
        return NewQueueJob(to: .device(String(token)), payload: Self.payload(isShared ? 0 : number))
    }

    private static let prefix = String(repeating: "a", count: 64)

    /// A payload of 300 bytes.
    private static func payload(_ number: Int) -> [UInt8] {
        let start = Array(#"{"aps":{"alert":{"title":"Order \#(number)","body":""#.utf8)
        let end = Array(#""}}}"#.utf8)
        return start + [UInt8](repeating: UInt8(ascii: "x"), count: 300 - start.count - end.count) + end
    }
}

/// Takes jobs in, as one caller does that waits for each answer.
final class Intake {
    private let queue: any JobQueue
    private let jobs: JobSource
    private var next = 0

    init(_ queue: any JobQueue, _ jobs: JobSource) {
        (self.queue, self.jobs) = (queue, jobs)
    }

    /// Takes a number of jobs in. The jobs of a request are made before, and do not count.
    func take(_ count: Int, inGroupsOf group: Int) async throws -> Timing {
        var total = Timing(count: count, duration: .zero, processor: .zero)
        var left = count
        while left > 0 {
            let size = min(group, left)
            let request = EnqueueRequest((next..<next + size).map(jobs.job), app: "shop")
            let timing = try await Timing.of(size) { try await take(request) }
            total.duration += timing.duration
            total.processor += timing.processor
            (next, left) = (next + size, left - size)
        }
        return total
    }

    private func take(_ request: EnqueueRequest) async throws {
        guard case .done(let results) = try await queue.enqueue(request), results.allSatisfy({ $0.id != nil }) else {
            throw Failure(description: "jobs were not taken in")
        }
    }
}
