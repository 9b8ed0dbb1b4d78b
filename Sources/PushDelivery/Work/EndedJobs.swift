internal import NIOConcurrencyHelpers
internal import PushProvider

/// The jobs that the clients have ended, on their way to the engine.
final class EndedJobs: Sendable {
    struct Ended: Sendable {
        var job: HeldJob
        var start: HeldJob.Start
        var outcome: PushOutcome
    }

    private let ended = NIOLockedValueBox<[Ended]>([])

    func add(_ job: Ended) {
        ended.withLockedValue { $0.append(job) }
    }

    func take() -> [Ended] {
        ended.withLockedValue { ended in
            defer { ended = [] }
            return ended
        }
    }
}
