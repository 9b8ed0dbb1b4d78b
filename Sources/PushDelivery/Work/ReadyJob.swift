internal import PushPlatform
internal import PushQueue

/// A job that can be started.
struct ReadyJob {
    var job: HeldJob
    var push: BuiltPush
    var expires: QueueTime?
    /// Where its topic comes from.
    var topic: TopicSource
    /// Whether it is the one job that tries whether Apple takes requests of the app again.
    var isTry: Bool

    /// The job as it is when it is started.
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
