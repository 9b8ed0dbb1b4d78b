internal import Metrics
internal import NIOConcurrencyHelpers

/// The metrics of a client. Their names begin with `push_`.
package struct PushMetrics: Sendable {
    /// The metrics backend, and the label that distinguishes the clients of a process.
    struct Labels: Sendable {
        /// The backend of the process, or of the task that created the client. All metrics of the client use it.
        let factory: any MetricsFactory
        /// The label with the client's name; empty if it has none.
        let client: [(String, String)]

        init(client: String?, factory: any MetricsFactory = MetricsSystem.factory) {
            self.factory = factory
            self.client = client.map { [("client", $0)] } ?? []
        }

        /// Whether there is a metrics backend.
        var isRead: Bool { !(factory is NOOPMetricsHandler) }
    }

    let labels: Labels
    private let accepted: Counter
    private let rejected: Counter
    private let notSent: Counter
    private let unknown: Counter
    private let answerTime: Timer
    let retries: Counter
    private let opened: Counter
    let connectionsFailed: Counter
    private let reopened: Counter
    /// How often the server's window of a connection was full, so that requests waited.
    let windowStalls: Counter
    let refusedCredentials: Counter
    private let unfinishedCounts = NIOLockedValueBox((notSent: 0, unknown: 0))

    init(_ labels: Labels = Labels(client: nil)) {
        let factory = labels.factory
        func counter(_ label: String) -> Counter {
            Counter(label: label, dimensions: labels.client, factory: factory)
        }
        func outcome(_ name: String) -> Counter {
            Counter(
                label: "push_outcomes_total", dimensions: [("outcome", name)] + labels.client, factory: factory)
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
        connectionsFailed = counter("push_connections_failed_total")
        windowStalls = counter("push_window_stalls_total")
    }

    /// Counts a new connection.
    ///
    /// - Parameter replacesAnother: Whether it replaces a connection that was in use before.
    func connectionOpened(replacesAnother: Bool) {
        opened.increment()
        if replacesAnother { reopened.increment() }
    }

    func goAwayReceived(_ reason: RejectionReason?) {
        count("push_goaways_total", [("reason", Self.label(reason))])
    }

    func stopped(_ reason: RejectionReason) {
        count("push_sequences_stopped_total", [("reason", Self.label(reason))])
    }

    /// The notifications that were not sent, and those whose outcome is unknown, for the report of a shutdown. Accepted and
    /// rejected ones are not counted, so that most outcomes cost nothing here.
    var unfinished: (notSent: Int, unknown: Int) { unfinishedCounts.withLockedValue { $0 } }

    /// Counts an outcome.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - isUnfinished: Whether a notification without an answer belongs to ``unfinished``. One that a newer one superseded
    ///     never does, because nobody misses it.
    func count(_ outcome: PushOutcome, isUnfinished: Bool = true) {
        switch outcome {
        case .accepted(let acceptance): accepted(after: acceptance.trace.inFlight)
        case .rejected(let rejection):
            rejected.increment()
            recordAnswer(after: rejection.trace.inFlight)
            count(
                "push_rejections_total",
                [("reason", Self.label(rejection.reason)), ("status", String(rejection.status))])
        case .notSent(let failure):
            notSent.increment()
            count("push_not_sent_total", [("cause", failure.cause.description)])
            if isUnfinished, failure.cause != .superseded { unfinishedCounts.withLockedValue { $0.notSent += 1 } }
        case .unknown(let failure):
            unknown.increment()
            count("push_unknown_total", [("cause", failure.cause.description)])
            if isUnfinished { unfinishedCounts.withLockedValue { $0.unknown += 1 } }
        // It was never queued.
        case .invalid: break
        }
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions + labels.client, factory: labels.factory).increment()
    }

    /// The label for a reason. Unknown reasons have one label, so that a server cannot create any number of time
    /// series.
    private static func label(_ reason: RejectionReason?) -> String {
        guard let reason else { return "none" }
        return reason.explanation == nil ? "other" : reason.rawValue
    }

    /// Counts an accepted notification.
    ///
    /// - Parameter time: The time from the request to the answer.
    func accepted(after time: Duration) {
        accepted.increment()
        recordAnswer(after: time)
    }

    private func recordAnswer(after time: Duration) {
        answerTime.recordNanoseconds(time.clampedNanoseconds)
    }
}
