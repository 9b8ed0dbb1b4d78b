internal import PushPlatform
internal import PushQueue

/// Claimed jobs that wait until this worker has the outcome of a push that they replace. A pure value.
struct WaitingStarts {
    /// The maximum number of jobs that wait. Further ones go back to the queue for a moment.
    static let maximum = 1000

    /// By key, the oldest push of each key first.
    private var jobs: [UUID: [ReadyJob]] = [:]
    private var freed: [ReadyJob] = []
    private(set) var count = 0

    /// Adds a job. Returns false if there is no room.
    mutating func add(_ ready: ReadyJob, for key: UUID) -> Bool {
        guard count < Self.maximum else { return false }
        var ofKey = jobs[key] ?? []
        ofKey.insert(ready, at: ofKey.firstIndex { ready.isOlder(than: $0) } ?? ofKey.endIndex)
        jobs[key] = ofKey
        count += 1
        return true
    }

    /// The push with a key has ended: the next one has its turn, and the key. Returns whether there is one.
    mutating func next(of key: UUID) -> Bool {
        guard var ofKey = jobs[key] else { return false }
        freed.append(ofKey.removeFirst())
        jobs[key] = ofKey.isEmpty ? nil : ofKey
        return true
    }

    /// Takes the jobs whose turn has come.
    mutating func takeFreed() -> [ReadyJob] {
        defer { freed = [] }
        count -= freed.count
        return freed
    }

    mutating func takeAll(of key: UUID) -> [ReadyJob] {
        let ofKey = jobs.removeValue(forKey: key) ?? []
        count -= ofKey.count
        return ofKey
    }

    mutating func takeAll() -> [ReadyJob] {
        defer { self = WaitingStarts() }
        return freed + jobs.values.joined()
    }
}

struct ReadyJob {
    var job: HeldJob
    var push: BuiltPush
    var expires: QueueTime?
    var topic: TopicSource
    /// Whether it is the one job that tries whether Apple takes requests of the app again.
    var isTry: Bool

    func started(at now: QueueTime) -> HeldJob {
        var job = job
        job.attempts += 1
        job.start = HeldJob.Start(time: now, generation: 0, isTry: false, topic: topic)
        return job
    }

    /// Whether a push comes before another one with the same key.
    func isOlder(than other: ReadyJob) -> Bool {
        guard let place = job.replacement?.place, let others = other.job.replacement?.place else { return false }
        return place < others
    }
}
