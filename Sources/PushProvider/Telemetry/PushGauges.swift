internal import Metrics

/// The gauges of a client: values that are measured at intervals, not counted.
///
/// Use it only on the event loop of the pool.
final class PushGauges {
    private let queued: Gauge
    private let queuedBytes: Gauge
    private let waiting: Gauge
    private let resting: Gauge
    private let oldest: Gauge
    private let inFlight: Gauge
    private let streamLimit: Gauge
    private let connections: Gauge
    private let roundTrip: Gauge
    private let tokenAge: Gauge?
    private let certificateDays: Gauge?

    /// Creates the gauges, without values.
    init(_ labels: PushMetrics.Labels, hasTokens: Bool, hasCertificate: Bool) {
        func gauge(_ label: String) -> Gauge {
            Gauge(label: label, dimensions: labels.client, factory: labels.factory)
        }
        queued = gauge("push_queue_length")
        queuedBytes = gauge("push_queue_bytes")
        waiting = gauge("push_queue_waiting_callers")
        resting = gauge("push_queue_resting")
        oldest = gauge("push_queue_oldest_age_seconds")
        inFlight = gauge("push_in_flight")
        streamLimit = gauge("push_stream_limit")
        connections = gauge("push_connections")
        roundTrip = gauge("push_round_trip_seconds")
        tokenAge = hasTokens ? gauge("push_provider_token_age_seconds") : nil
        certificateDays = hasCertificate ? gauge("push_certificate_days_left") : nil
    }

    func set(_ queue: QueueFigures, now: MonotonicTime) {
        queued.record(queue.queued)
        queuedBytes.record(queue.bytes)
        waiting.record(queue.waiting)
        resting.record(queue.resting)
        oldest.record(queue.oldest.map { $0.duration(to: now).inSeconds } ?? 0)
    }

    func set(_ readings: [ConnectionFigures]) {
        connections.record(readings.count)
        inFlight.record(readings.reduce(0) { $0 + $1.inFlight })
        streamLimit.record(readings.reduce(0) { $0 + $1.streamLimit })
        // Only the slowest connection is reported.
        roundTrip.record(readings.compactMap(\.roundTrip).max()?.inSeconds ?? 0)
    }

    func setTokenAge(_ age: Int) {
        tokenAge?.record(max(0, age))
    }

    func setCertificateDays(_ days: Int) {
        certificateDays?.record(days)
    }
}

struct QueueFigures: Equatable {
    var queued = 0
    var bytes = 0
    /// The number of callers that wait for space.
    var waiting = 0
    /// The number of notifications that wait for their retry, or for another one with their collapse id.
    var resting = 0
    /// When the oldest notification that could be sent was queued; `nil` if there is none.
    var oldest: MonotonicTime?

    var isEmpty: Bool { queued == 0 && waiting == 0 && resting == 0 && oldest == nil }
}

struct ConnectionFigures: Equatable, Sendable {
    /// The number of requests without an answer.
    var inFlight: Int
    /// The maximum number of requests in flight that the server and the configuration allow; 0 before the server's
    /// SETTINGS.
    var streamLimit: Int
    /// The smoothed round-trip time of the kernel; `nil` if the kernel does not report it.
    var roundTrip: Duration?
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
