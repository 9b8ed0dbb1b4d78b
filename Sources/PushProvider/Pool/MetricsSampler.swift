internal import NIOCore

/// Records the gauges of a client once per interval, while the client has connections or notifications.
///
/// Use it only on the event loop of the pool.
final class MetricsSampler {
    private let gauges: PushGauges
    /// The age of the provider token in seconds; `nil` with a certificate.
    private let tokenAge: (() -> Int)?
    /// When the certificate expires, in seconds since 1970.
    private let certificateEnd: Int?
    private let timing: ClientTiming
    private let interval: Duration
    private let loop: any EventLoop
    private weak var pool: ConnectionPool?

    private var timer: Scheduled<Void>?
    private var readings: [Int: ConnectionFigures] = [:]

    /// Creates a sampler; `nil` if the process has no metrics backend.
    init?(
        _ labels: PushMetrics.Labels, tokenAge: (() -> Int)?, certificateEnd: Int?, timing: ClientTiming,
        interval: Duration,
        loop: any EventLoop
    ) {
        guard labels.isRead else { return nil }
        gauges = PushGauges(labels, hasTokens: tokenAge != nil, hasCertificate: certificateEnd != nil)
        self.tokenAge = tokenAge
        self.certificateEnd = certificateEnd
        self.timing = timing
        self.interval = interval
        self.loop = loop
    }

    deinit {
        // The client has ended: reset the gauges.
        gauges.set(QueueFigures(), now: timing.now())
        gauges.set([])
        gauges.setTokenAge(0)
    }

    /// Begins to record, if it has not begun.
    func begin(_ pool: ConnectionPool) {
        guard timer == nil else { return }
        self.pool = pool
        schedule()
    }

    /// Sets the reading of a connection, for the next recording.
    func add(_ reading: ConnectionFigures, from number: Int) {
        readings[number] = reading
    }

    private func schedule() {
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: interval)) { [weak self] in self?.record() }
    }

    private func record() {
        timer = nil
        guard let pool else { return }
        let numbers = pool.connections.map(\.handle.number)
        let queue = pool.intake.reading()
        readings = readings.filter { numbers.contains($0.key) }
        pool.askForReadings()
        gauges.set(queue, now: timing.now())
        gauges.set(Array(readings.values))
        let goesOn = !numbers.isEmpty || !queue.isEmpty
        // The age of an unused token does not matter.
        gauges.setTokenAge(goesOn ? tokenAge?() ?? 0 : 0)
        if let certificateEnd {
            gauges.setCertificateDays(Self.wholeDays(from: timing.wallSeconds(), to: certificateEnd))
        }
        if goesOn { schedule() }
    }

    /// The whole days until a certificate expires; negative from the first second after its end.
    static func wholeDays(from now: Int, to end: Int) -> Int {
        let (days, rest) = (end - now).quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? days - 1 : days
    }
}
