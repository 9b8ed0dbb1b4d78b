internal import Metrics

/// What an operator can watch. The names begin with `push_`.
package struct PushMetrics: Sendable {
    /// Where metrics go, and how those of one client are told from those of another.
    struct Labels: Sendable {
        /// The process's own, or the one of the task that made the client: what is counted later goes to the same.
        let factory: any MetricsFactory
        /// Empty, or the client's name.
        let client: [(String, String)]

        init(client: String?, factory: any MetricsFactory = MetricsSystem.factory) {
            self.factory = factory
            self.client = client.map { [("client", $0)] } ?? []
        }

        /// Somebody looks at them.
        var isRead: Bool { !(factory is NOOPMetricsHandler) }
    }

    let labels: Labels
    private let accepted: Counter
    private let rejected: Counter
    private let notSent: Counter
    private let unknown: Counter
    private let answerTime: Timer
    private let retries: Counter
    private let opened: Counter
    private let failed: Counter
    private let reopened: Counter
    private let windowStalls: Counter
    private let refusedCredentials: Counter

    init(_ labels: Labels = Labels(client: nil)) {
        let factory = labels.factory
        func counter(_ label: String) -> Counter {
            Counter(label: label, dimensions: labels.client, factory: factory)
        }
        func outcome(_ word: String) -> Counter {
            Counter(
                label: "push_outcomes_total", dimensions: [("outcome", word)] + labels.client, factory: factory)
        }
        self.labels = labels
        accepted = outcome("accepted")
        rejected = outcome("rejected")
        notSent = outcome("not_sent")
        unknown = outcome("unknown")
        answerTime = Timer(
            label: "push_answer_duration_nanoseconds", dimensions: labels.client, factory: factory)
        retries = counter("push_retries_total")
        opened = counter("push_connections_opened_total")
        reopened = counter("push_reconnects_total")
        refusedCredentials = counter("push_credentials_refused_total")
        failed = counter("push_connections_failed_total")
        windowStalls = counter("push_window_stalls_total")
    }

    /// - Parameter replacesAnother: One that had served before is gone.
    func connectionOpened(replacesAnother: Bool) {
        opened.increment()
        if replacesAnother { reopened.increment() }
    }

    /// The server's window of a connection is full, and requests wait for it.
    func windowStalled() {
        windowStalls.increment()
    }

    func goAwayReceived(_ reason: RejectionReason?) {
        count("push_goaways_total", [("reason", Self.label(reason))])
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

    func stopped(_ reason: RejectionReason) {
        count("push_sequences_stopped_total", [("reason", Self.label(reason))])
    }

    func count(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted(let acceptance):
            accepted.increment()
            record(acceptance.trace)
        case .rejected(let rejection):
            rejected.increment()
            record(rejection.trace)
            count(
                "push_rejections_total",
                [("reason", Self.label(rejection.reason)), ("status", String(rejection.status))])
        case .notSent(let failure):
            notSent.increment()
            count("push_not_sent_total", [("cause", failure.cause.description)])
        case .unknown(let failure):
            unknown.increment()
            count("push_unknown_total", [("cause", failure.cause.description)])
        }
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions + labels.client, factory: labels.factory).increment()
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
