internal import Metrics

/// What an operator can watch. The names begin with `push_`.
struct PushMetrics: Sendable {
    /// The process's own, or the one of the task that made the client: what is counted later goes to the same.
    private let factory: any MetricsFactory
    private let accepted: Counter
    private let rejected: Counter
    private let notSent: Counter
    private let unknown: Counter
    private let answerTime: Timer
    private let retries: Counter
    private let opened: Counter
    private let failed: Counter
    private let refusedCredentials: Counter

    init(factory: any MetricsFactory = MetricsSystem.factory) {
        func outcome(_ word: String) -> Counter {
            Counter(label: "push_outcomes_total", dimensions: [("outcome", word)], factory: factory)
        }
        self.factory = factory
        accepted = outcome("accepted")
        rejected = outcome("rejected")
        notSent = outcome("not_sent")
        unknown = outcome("unknown")
        answerTime = Timer(label: "push_answer_duration_nanoseconds", factory: factory)
        retries = Counter(label: "push_retries_total", factory: factory)
        opened = Counter(label: "push_connections_opened_total", factory: factory)
        refusedCredentials = Counter(label: "push_credentials_refused_total", factory: factory)
        failed = Counter(label: "push_connections_failed_total", factory: factory)
    }

    func connectionOpened() {
        opened.increment()
    }

    func sentAgain(_ count: Int) {
        retries.increment(by: count)
    }

    func credentialsRefused() {
        refusedCredentials.increment()
    }

    func connectionFailed() {
        failed.increment()
    }

    func count(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted(let acceptance):
            accepted.increment()
            record(acceptance.trace)
        case .rejected(let rejection):
            rejected.increment()
            record(rejection.trace)
            Counter(
                label: "push_rejections_total",
                dimensions: [("reason", Self.label(rejection.reason)), ("status", String(rejection.status))],
                factory: factory
            ).increment()
        case .notSent: notSent.increment()
        case .unknown: unknown.increment()
        }
    }

    /// Only words that are known: a server must not be able to make as many time series as it likes.
    private static func label(_ reason: RejectionReason?) -> String {
        guard let reason else { return "none" }
        return reason.explanation == nil ? "other" : reason.rawValue
    }

    private func record(_ trace: PushTrace) {
        answerTime.recordNanoseconds(trace.inFlight.clampedNanoseconds)
    }
}
