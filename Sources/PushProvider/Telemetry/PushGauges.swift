internal import Metrics

/// What a client holds at a moment, which is measured from time to time and not counted.
///
/// It belongs to the event loop of the pool.
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

    /// Gauges in which nothing is held.
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

    func set(_ queue: QueueReading, now: MonotonicTime) {
        queued.record(queue.queued)
        queuedBytes.record(queue.bytes)
        waiting.record(queue.waiting)
        resting.record(queue.resting)
        oldest.record(queue.oldest.map { $0.duration(to: now).inSeconds } ?? 0)
    }

    func set(_ readings: [ConnectionReading]) {
        connections.record(readings.count)
        inFlight.record(readings.reduce(0) { $0 + $1.inFlight })
        streamLimit.record(readings.reduce(0) { $0 + $1.streamLimit })
        // The slowest way is the one to look at.
        roundTrip.record(readings.compactMap(\.roundTrip).max()?.inSeconds ?? 0)
    }

    /// In seconds.
    func setTokenAge(_ age: Int) {
        tokenAge?.record(max(0, age))
    }

    func setCertificateDays(_ days: Int) {
        certificateDays?.record(days)
    }
}

/// What is in the queue at a moment.
struct QueueReading: Equatable {
    var queued = 0
    var bytes = 0
    /// Callers that wait for room.
    var waiting = 0
    /// What was sent before and is to be sent again later.
    var resting = 0
    /// When the first of those that could be sent was handed in; `nil` when there is none.
    var oldest: MonotonicTime?

    var isEmpty: Bool { queued == 0 && waiting == 0 && resting == 0 && oldest == nil }
}

/// What one connection holds at a moment.
struct ConnectionReading: Equatable, Sendable {
    /// Requests that wait for their answers.
    var inFlight: Int
    /// How many the server and the configuration allow at a time; 0 before its settings.
    var streamLimit: Int
    /// The kernel's smoothed round-trip time, where it tells it.
    var roundTrip: Duration?
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
