internal import Metrics

/// What an operator can watch. The names begin with `push_`.
struct PushMetrics: Sendable {
    private let accepted = Counter(label: "push_outcomes_total", dimensions: [("outcome", "accepted")])
    private let rejected = Counter(label: "push_outcomes_total", dimensions: [("outcome", "rejected")])
    private let notSent = Counter(label: "push_outcomes_total", dimensions: [("outcome", "not_sent")])
    private let unknown = Counter(label: "push_outcomes_total", dimensions: [("outcome", "unknown")])
    private let answerTime = Timer(label: "push_answer_duration_nanoseconds")
    private let opened = Counter(label: "push_connections_opened_total")
    private let failed = Counter(label: "push_connections_failed_total")

    func connectionOpened() {
        opened.increment()
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
                dimensions: [("reason", Self.label(rejection.reason)), ("status", String(rejection.status))]
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
