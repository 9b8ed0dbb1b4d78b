import NIOConcurrencyHelpers
package import PushQueue

/// The figures of the service since it started. The API and the delivery feed it.
package final class ServiceMetrics: Sendable {
    package enum Phase: String, Sendable, Hashable, CaseIterable {
        /// From the request to the commit.
        case store
        /// From the due time to the first byte.
        case wait
        /// From the first byte to Apple's answer.
        case send
        /// From the due time to the outcome.
        case total
    }

    struct Outcome: Hashable, Sendable {
        var app: String
        var kind: QueueJobOutcome.Kind
        var reason: String
    }

    struct Latency: Hashable, Sendable {
        var app: String
        var phase: Phase
    }

    struct InboxPart: Hashable, Sendable {
        var inbox: String
        var part: String
    }

    struct InboxState: Sendable {
        var failure: String?
        /// The last thing that happened to it and needs attention.
        var warning: (text: String, time: QueueTime)?
    }

    struct State: Sendable {
        var outcomes: [Outcome: Int] = [:]
        var latencies: [Latency: LatencyHistogram] = [:]
        var requests: [Int: Int] = [:]
        var queued: [String: Int] = [:]
        /// By app: whether its table of devices cannot be asked.
        var recipientsFailing: [String: Bool] = [:]
        var inboxes: [InboxPart: InboxState] = [:]
        var inboxAges: [String: [(app: String, seconds: Double)]] = [:]
        var moved: [String: Int] = [:]
        var superseded: [String: Int] = [:]
        var gone: [String: Int] = [:]
    }

    /// The maximum number of reasons that are counted on their own. Later ones are counted as `other`.
    private static let maximumOutcomes = 2000

    private let state = NIOLockedValueBox(State())

    package init() {}

    package func ended(_ outcome: QueueJobOutcome, app: String) {
        state.withLockedValue { state in
            var key = Outcome(app: app, kind: outcome.kind, reason: outcome.reason ?? "")
            if state.outcomes[key] == nil, state.outcomes.count >= Self.maximumOutcomes { key.reason = "other" }
            state.outcomes[key, default: 0] += 1
            if outcome.reason == QueueJobOutcome.superseded { state.superseded[app, default: 0] += 1 }
            if outcome.goneSince != nil { state.gone[app, default: 0] += 1 }
        }
    }

    package func record(_ duration: Duration, _ phase: Phase, app: String) {
        state.withLockedValue {
            $0.latencies[Latency(app: app, phase: phase), default: LatencyHistogram()].add(duration)
        }
    }

    package func recipients(failing: Bool, app: String) {
        state.withLockedValue { state in
            if failing || state.recipientsFailing[app] != nil { state.recipientsFailing[app] = failing }
        }
    }

    func queued(_ count: Int, app: String) {
        state.withLockedValue { $0.queued[app, default: 0] += count }
    }

    func moved(_ count: Int, app: String) {
        state.withLockedValue { $0.moved[app, default: 0] += count }
    }

    func change(_ part: InboxPart, _ body: (inout InboxState) -> Void) {
        state.withLockedValue { body(&$0.inboxes[part, default: InboxState()]) }
    }

    func note(_ ages: [(app: String, seconds: Double)], ofInbox inbox: String) {
        state.withLockedValue { $0.inboxAges[inbox] = ages }
    }

    func answered(_ status: Int) {
        state.withLockedValue { $0.requests[status, default: 0] += 1 }
    }

    var snapshot: State { state.withLockedValue { $0 } }
}

struct LatencyHistogram: Sendable, Equatable {
    /// The upper limits of the buckets, in seconds.
    static let limits = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600,
    ]

    /// How many durations are in each bucket, and not in an earlier one; the last number is of those beyond all limits.
    private(set) var counts = [Int](repeating: 0, count: limits.count + 1)
    /// The sum of all durations, in seconds.
    private(set) var sum = 0.0

    mutating func add(_ duration: Duration) {
        let seconds = max(duration / .seconds(1), 0)
        counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
        sum += seconds
    }
}
