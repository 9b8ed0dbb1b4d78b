internal import NIOCore
internal import PushWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Measures a client once a second, as long as there is anything to measure, and only where somebody looks at metrics.
///
/// It belongs to the event loop of the pool.
final class Measuring {
    private let gauges: PushGauges
    private let desk: SendDesk
    private let tokens: ProviderTokenSource?
    /// When the certificate ends, in seconds since 1970.
    private let certificateEnd: Int?
    private let clocks: Clocks
    private let interval: Duration
    private let loop: any EventLoop
    private weak var pool: ConnectionPool?

    private var timer: Scheduled<Void>?
    /// The last of each connection.
    private var readings: [Int: ConnectionReading] = [:]

    /// `nil` where nobody looks.
    init?(
        _ labels: PushMetrics.Labels, desk: SendDesk, tokens: ProviderTokenSource?, certificateEnd: Int?,
        clocks: Clocks,
        interval: Duration, loop: any EventLoop
    ) {
        guard labels.isRead else { return nil }
        gauges = PushGauges(labels, hasTokens: tokens != nil, hasCertificate: certificateEnd != nil)
        self.desk = desk
        self.tokens = tokens
        self.certificateEnd = certificateEnd
        self.clocks = clocks
        self.interval = interval
        self.loop = loop
    }

    deinit {
        // Nothing is left, whatever was measured last.
        gauges.set(QueueReading(), now: clocks.now())
        gauges.set([])
        gauges.setTokenAge(0)
    }

    /// Something may be there from now on.
    func begin(_ pool: ConnectionPool) {
        guard timer == nil else { return }
        self.pool = pool
        measureLater()
    }

    private func measureLater() {
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: interval)) { [weak self] in self?.measure()
        }
    }

    private func measure() {
        timer = nil
        guard let pool else { return }
        let handles = pool.connections
        let queue = desk.reading()
        readings = readings.filter { reading in handles.contains { $0.number == reading.key } }
        for handle in handles { ask(handle, pool.door) }
        gauges.set(queue, now: clocks.now())
        gauges.set(Array(readings.values))
        let wall = clocks.wallSeconds()
        let goesOn = !handles.isEmpty || !queue.isEmpty
        // One that lies there unused grows old without harm.
        gauges.setTokenAge(goesOn ? tokens?.age(at: clocks.reading) ?? 0 : 0)
        if let certificateEnd { gauges.setCertificateDays(Self.wholeDays(from: wall, to: certificateEnd)) }
        if goesOn { measureLater() }
    }

    /// Below zero from the first second on in which it is over.
    static func wholeDays(from now: Int, to end: Int) -> Int {
        let (days, rest) = (end - now).quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? days - 1 : days
    }

    /// The answer comes by the pool's own loop, for the next time.
    private func ask(_ handle: ConnectionHandle, _ door: PoolDoor) {
        let number = handle.number
        handle.perform { connection in
            connection.read { reading in
                door.perform { $0.measuring?.heard(reading, from: number) }
            }
        }
    }

    private func heard(_ reading: ConnectionReading, from number: Int) {
        readings[number] = reading
    }
}

extension ClientConnection {
    /// Tells what it holds; where the kernel is asked, once that has answered.
    func read(_ tell: @escaping @Sendable (ConnectionReading) -> Void) {
        let reading = ConnectionReading(inFlight: state.inFlight, streamLimit: wire.http2.allowedStreams)
        #if os(Linux)
            if let socket = context?.channel as? any SocketOptionProvider {
                return socket.getTCPInfo().whenComplete { result in
                    var reading = reading
                    if case .success(let facts) = result { reading.roundTrip = .microseconds(Int(facts.tcpi_rtt)) }
                    tell(reading)
                }
            }
        #endif
        tell(reading)
    }
}
