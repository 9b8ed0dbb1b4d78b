internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix

/// Connects to the server: looks up the name, performs the decisions of ``AddressRace``, and opens the tunnel through
/// the proxy, if there is one. Use it only on its event loop.
final class Dialling {
    private let environment: PushEnvironment
    private let target: ConnectTarget
    private let path: NetworkPath
    private let timing: ClientTiming

    private var race = AddressRace([])
    private var attempts: [Attempt] = []
    private var isFound = false
    private var lookUp: Duration = .zero
    /// The failure to report if all addresses fail, and whether it says more than "no route".
    private var failure: (cause: ConnectionFailure, saysWhy: Bool)?
    private var stopLookup: (() -> Void)?
    private var limit: Scheduled<Void>?
    private var headStart: Scheduled<Void>?
    private var progressed: (PushOutcome.Phase) -> Void = { _ in }
    /// Called once.
    private var ended: ((Result<EstablishedChannel, ConnectionFailure>) -> Void)?

    init(_ environment: PushEnvironment, _ path: NetworkPath, _ timing: ClientTiming) {
        self.environment = environment
        self.path = path
        self.timing = timing
        target = ConnectTarget(environment, through: path.proxy)
    }

    /// An attempt to connect to one address. Of the few addresses each is tried once.
    private struct Attempt {
        let address: NetworkAddress
        let begun: MonotonicTime
        var channel: (any Channel)?
    }

    /// - Parameters:
    ///   - loop: The event loop. Call this method on it.
    ///   - progressed: Called with each new phase.
    ///   - ended: Called with the result, unless ``giveUp()`` was called.
    func begin(
        on loop: any EventLoop, progressed: @escaping (PushOutcome.Phase) -> Void,
        ended: @escaping (Result<EstablishedChannel, ConnectionFailure>) -> Void
    ) {
        self.progressed = progressed
        self.ended = ended
        lookUpName(loop)
    }

    func giveUp() {
        ended = nil
        stop()
    }

    private func finish(_ result: Result<EstablishedChannel, ConnectionFailure>) {
        guard let ended else { return }
        self.ended = nil
        stop()
        ended(result)
    }

    /// Cancels all timers and the lookup, and closes all sockets.
    private func stop() {
        limit?.cancel()
        headStart?.cancel()
        stopLookup?()
        stopLookup = nil
        race.cancel()
        closeAttempts()
    }

    /// Closes the socket of each attempt.
    private func closeAttempts(except winner: NetworkAddress? = nil) {
        for attempt in attempts where attempt.address != winner { attempt.channel?.close(promise: nil) }
        attempts.removeAll { $0.address != winner }
    }

    private func setChannel(_ channel: (any Channel)?, of address: NetworkAddress) {
        guard let index = attempts.firstIndex(where: { $0.address == address }) else { return }
        attempts[index].channel = channel
    }

    private func allow(_ duration: Duration, on loop: any EventLoop, else failure: ConnectionFailure) {
        limit?.cancel()
        limit = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: duration)) {
            self.finish(.failure(failure))
        }
    }

    // MARK: Name lookup

    private func lookUpName(_ loop: any EventLoop) {
        let begun = timing.now()
        let bound = NIOLoopBound(self, eventLoop: loop)
        let giveUp = path.resolver.lookUp(target.host, port: target.port) { answer in
            if loop.inEventLoop {
                bound.value.found(answer, since: begun, loop)
            } else {
                loop.execute { bound.value.found(answer, since: begun, loop) }
            }
        }
        // Without a real lookup, the answer arrives before `lookUp` returns.
        guard !isFound else { return }
        stopLookup = giveUp
        progressed(.dns)
        allow(timing.resolveTimeout, on: loop, else: .unresolved(target.host, within: timing.resolveTimeout))
    }

    private func found(
        _ answer: Result<[NetworkAddress], NameFailure>, since begun: MonotonicTime, _ loop: any EventLoop
    ) {
        guard ended != nil else { return }
        isFound = true
        stopLookup = nil
        lookUp = begun.duration(to: timing.now())
        switch answer {
        case .failure(let failure): finish(.failure(.unresolved(target.host, failure)))
        case .success(let addresses) where addresses.isEmpty: finish(.failure(.unresolved(target.host, .unknown)))
        case .success(let addresses):
            progressed(.tcp)
            race = AddressRace(path.order(addresses, now: timing.now()), headStart: path.headStart)
            allow(timing.connectTimeout, on: loop, else: .unreached(target, within: timing.connectTimeout))
            perform(race.begin(now: timing.now()), loop)
        }
    }

    // MARK: Addresses

    private func perform(_ action: AddressRace.Action, _ loop: any EventLoop) {
        switch action {
        case .none: break
        case .connect(let address, let next):
            headStart?.cancel()
            if let next {
                let wait = TimeAmount(clamping: timing.now().duration(to: next))
                headStart = loop.assumeIsolated().scheduleTask(in: wait) {
                    self.perform(self.race.headStartIsOver(now: self.timing.now()), loop)
                }
            }
            connect(to: address, loop)
        case .giveUp:
            finish(.failure(failure?.cause ?? .unreached(target, within: timing.connectTimeout)))
        }
    }

    private func connect(to address: NetworkAddress, _ loop: any EventLoop) {
        attempts.append(Attempt(address: address, begun: timing.now()))
        path.begun(address)
        let bound = NIOLoopBound(self, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(clamping: timing.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Answers come in bursts: with larger reads, there are fewer wake-ups.
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 1024))
            .channelInitializer { channel in
                bound.value.made(channel, for: address)
                return loop.makeSucceededVoidFuture()
            }
        let attempt: EventLoopFuture<any Channel>
        do { attempt = bootstrap.connect(to: try address.socketAddress) } catch {
            attempt = loop.makeFailedFuture(error)
        }
        attempt.assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel): connected(channel, to: address, loop)
                case .failure(let error): failed(address, error, loop)
                }
            }
    }

    private func made(_ channel: any Channel, for address: NetworkAddress) {
        // After the end, `connected` closes the channel.
        if ended != nil { setChannel(channel, of: address) }
    }

    private func failed(_ address: NetworkAddress, _ error: any Error, _ loop: any EventLoop) {
        guard ended != nil else { return }
        setChannel(nil, of: address)
        if !ConnectionFailure.isOurs(error) { path.failed(address, now: timing.now()) }
        remember(.connecting(error, to: target, within: timing.connectTimeout), of: error)
        perform(race.failed(address, now: timing.now()), loop)
    }

    /// Keeps the first failure to report, but prefers one that is not "no route": on a machine without IPv6, half of
    /// the addresses have no route, and that is not the real reason.
    private func remember(_ new: ConnectionFailure, of error: any Error) {
        let saysWhy = !ConnectionFailure.isWithoutWay(error)
        if failure == nil || (saysWhy && failure?.saysWhy == false) { failure = (new, saysWhy) }
    }

    private func connected(_ channel: any Channel, to address: NetworkAddress, _ loop: any EventLoop) {
        guard ended != nil, let overtaken = race.connected(address) else { return channel.close(promise: nil) }
        headStart?.cancel()
        setChannel(channel, of: address)
        closeAttempts(except: address)
        let now = timing.now()
        let begun = attempts.first?.begun ?? now
        for slow in overtaken { path.failed(slow, now: now) }
        path.served(address)
        let reached = EstablishedChannel(
            channel: channel, address: address, lookUp: lookUp, tcp: begun.duration(to: now))
        guard let proxy = path.proxy else { return hand(over: reached) }
        openTunnel(through: proxy, reached, since: now, loop)
    }

    /// Passes on the channel. The receiver closes it.
    private func hand(over reached: EstablishedChannel) {
        attempts = []
        finish(.success(reached))
    }

    // MARK: Proxy

    private func openTunnel(
        through proxy: PushProxy, _ reached: EstablishedChannel, since begun: MonotonicTime, _ loop: any EventLoop
    ) {
        progressed(.proxy)
        allow(
            timing.connectTimeout, on: loop,
            else: .silent(proxy, to: environment, for: timing.connectTimeout))
        let handler = TunnelHandler(through: proxy, to: environment) { [self] result in
            switch result {
            case .success:
                var reached = reached
                reached.proxy = begun.duration(to: timing.now())
                hand(over: reached)
            case .failure(let failure): finish(.failure(failure))
            }
        }
        do { try reached.channel.pipeline.syncOperations.addHandler(handler) } catch {
            finish(.failure(.socket(error, peer: target.description, phase: .proxy)))
        }
    }
}

/// The target of the TCP connection: the server, or the proxy before it.
struct ConnectTarget: CustomStringConvertible {
    var host: String
    var port: Int
    /// Host and port, for error messages.
    var description: String
    /// Whether the server listens on another port, too.
    var hasAlternatePort = false

    init(_ environment: PushEnvironment, through proxy: PushProxy? = nil) {
        host = proxy?.host ?? environment.host
        port = proxy?.port ?? environment.port
        description = proxy.map { "the proxy \($0)" } ?? environment.description
        hasAlternatePort = proxy == nil && environment.appleService != nil && port == APNSHost.port
    }
}

/// A connected channel: where it leads and how long each step took.
struct EstablishedChannel {
    /// The TCP connection to the server, or the tunnel through the proxy.
    var channel: any Channel
    /// The address of the server, or of the proxy.
    var address: NetworkAddress
    var lookUp: Duration
    var tcp: Duration
    /// The time until the proxy opened the tunnel; `nil` without a proxy.
    var proxy: Duration?
}

extension EstablishedChannel {
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "address": "\(address)", "lookup": "\(lookUp.milliseconds) ms", "tcp": "\(tcp.milliseconds) ms",
        ]
        if let proxy { metadata["proxy"] = "\(proxy.milliseconds) ms" }
        return metadata
    }
}

extension Duration {
    /// For the log: whole microseconds, `0.125`.
    fileprivate var milliseconds: Double { Double(clampedNanoseconds / 1000) / 1000 }
}

/// The network path to the servers of a client: resolver, proxy and known addresses. All connections of the client
/// share it, on any event loop.
final class NetworkPath: Sendable {
    let resolver: any NameResolver
    let proxy: PushProxy?

    /// How long to wait for an address before the next one is tried, too.
    let headStart: Duration

    private let history = NIOLockedValueBox(AddressHistory())

    init(
        resolver: any NameResolver = SystemNames.shared, proxy: PushProxy? = nil,
        headStart: Duration = AddressRace.defaultHeadStart
    ) {
        self.headStart = headStart
        self.resolver = resolver
        self.proxy = proxy
    }

    /// The server, and the proxy if there is one, for messages.
    func peer(_ environment: PushEnvironment) -> String {
        proxy.map { "\(environment) through the proxy \($0)" } ?? environment.description
    }

    /// The order in which the next connection tries these addresses.
    func order(_ addresses: [NetworkAddress], now: MonotonicTime) -> [NetworkAddress] {
        history.withLockedValue { $0.order(addresses, now: now, chance: .random(in: 0..<1)) }
    }

    func begun(_ address: NetworkAddress) {
        history.withLockedValue { $0.begun(address) }
    }

    /// Marks the address as failed, so that the next connections try other addresses first.
    func failed(_ address: NetworkAddress, now: MonotonicTime) {
        history.withLockedValue { $0.failed(address, now: now) }
    }

    func served(_ address: NetworkAddress) {
        history.withLockedValue { $0.served(address) }
    }
}
