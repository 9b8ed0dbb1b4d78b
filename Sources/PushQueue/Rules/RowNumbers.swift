import PushPlatform

/// Chooses the numbers of rows: in the order of due times, and next to each other for jobs that are due together, in the order of their
/// request.
package struct RowNumbers {
    package init() {}

    private var lastByDue: [Int64: Int64] = [:]

    private static let maximumDues = 4096

    /// The number of a row for a job that is due at a time, in milliseconds; for several jobs, the first of their numbers, which follow each
    /// other. If another process has taken one, the caller calls again with the number of collisions so far. With each, the number is chosen
    /// from a wider range.
    package mutating func next(due: Int64, count: Int = 1, collisions: Int = 0, random: UInt64) -> Int64 {
        let number: Int64
        if collisions == 0, let before = lastByDue[due] {
            number = before + 1
        } else {
            // Processes begin at different numbers. Half of the range stays free for the jobs that follow.
            let milliseconds: UInt64 = collisions < 2 ? 1 : 1 << UInt64(min(3 * collisions, 24))
            number = due << 20 + Int64(random % (milliseconds << 19))
        }
        if lastByDue.count >= Self.maximumDues { lastByDue.removeAll(keepingCapacity: true) }
        lastByDue[due] = number + Int64(max(count, 1) - 1)
        return number
    }
}

/// The numbers of the rows of a request: they grow for jobs that are due together, in the order of the request.
package struct RequestNumbers {
    private var next: [Int64: Int64] = [:]

    /// Chooses the numbers of jobs that are due at these times.
    ///
    /// - Parameters:
    ///   - dues: The due time of each job.
    ///   - first: Chooses the first of several numbers for a due time, given in milliseconds.
    /// - Throws: What `first` throws.
    package init<Failure: Error>(
        _ dues: some Sequence<QueueTime>, first: (_ due: Int64, _ count: Int) throws(Failure) -> Int64
    ) throws(Failure) {
        var counts: [Int64: Int] = [:]
        for due in dues { counts[due.milliseconds, default: 0] += 1 }
        for (due, count) in counts { next[due] = try first(due, count) }
    }

    /// The number of the next job that is due at a time. There are as many as there were due times.
    package mutating func take(_ due: QueueTime) -> Int64 {
        let number = next[due.milliseconds] ?? due.milliseconds << 20
        next[due.milliseconds] = number + 1
        return number
    }
}

/// Random numbers of the system, which are fetched in groups: a call for each costs more than a row.
package struct RandomNumberBuffer {
    private var numbers: [UInt64] = []
    private var generator = SystemRandomNumberGenerator()

    package init() {}

    package mutating func next() -> UInt64 {
        if numbers.isEmpty { fetch() }
        return numbers.popLast() ?? generator.next()
    }

    private mutating func fetch() {
        // 256 bytes is the maximum of getentropy.
        var fetched = [UInt64](repeating: 0, count: 32)
        let result = fetched.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        if result == 0 { numbers = fetched }
    }
}

/// The bodies of the payloads that were read last, by their numbers. A writer forgets them when some are erased, and when numbers can be used
/// again.
package struct PayloadBodies {
    private var bodies: [Int64: [UInt8]] = [:]
    private var size = 0

    /// The maximum number of bytes that are remembered. Beyond it, all are forgotten.
    private static let maximumSize = 16 << 20

    package init() {}

    package subscript(payload: Int64) -> [UInt8]? { bodies[payload] }

    package mutating func remember(_ body: [UInt8], as payload: Int64) {
        if size + body.count > Self.maximumSize { removeAll() }
        bodies[payload] = body
        size += body.count
    }

    package mutating func removeAll() {
        (bodies, size) = ([:], 0)
    }
}

struct RecentNumbers<Key: Hashable> {
    /// The maximum number of keys. Each more takes the place of the oldest one.
    let maximum: Int

    private var numbers: [Key: Int64] = [:]
    private var keyRing: [Key] = []
    private var oldest = 0

    init(maximum: Int) {
        self.maximum = maximum
    }

    subscript(key: Key) -> Int64? { numbers[key] }

    mutating func add(_ number: Int64, for key: Key) {
        guard numbers.updateValue(number, forKey: key) == nil else { return }
        if keyRing.count < maximum { return keyRing.append(key) }
        numbers[keyRing[oldest]] = nil
        keyRing[oldest] = key
        oldest = (oldest + 1) % maximum
    }

    mutating func removeAll() {
        guard !keyRing.isEmpty else { return }
        numbers.removeAll(keepingCapacity: true)
        keyRing.removeAll(keepingCapacity: true)
        oldest = 0
    }
}

/// Where the numbers of outcomes continue after a queue, or its server, was started.
///
/// A queue that was restored from a backup would give numbers a second time, and readers whose cursors are from before the restore would
/// pass over new outcomes. So the numbers jump to one that follows the clock: it is higher than all that were given before, as long as fewer
/// outcomes, or transactions of the server, happened than the clock has ticks, and the clock was not set back.
package enum ResultNumbers {
    /// 2026-01-01T00:00:00Z, in milliseconds since 1970. Queues are younger.
    package static let epoch: Int64 = 1_767_225_600_000
    package static let ticksPerMillisecond: Int64 = 2
    /// Beyond this tick, of the year 2060, numbers no longer jump. All are below that of ``QueueResultCursor``s of other queues.
    package static let latest: Int64 = 1 << 41
    /// A tick has room for 2^20 numbers.
    package static let bits: Int64 = 20

    /// The number after which outcomes are numbered by a queue that is started at a time.
    package static func base(at time: QueueTime) -> Int64 {
        min(max((time.milliseconds - epoch) * ticksPerMillisecond, 0), latest) << bits
    }
}
