internal import NIOCore
internal import NIOPosix

/// Brings one connection to its server: looks the name up, performs what ``AddressRace`` decides, and has a proxy open its
/// tunnel where there is one. It belongs to one event loop.
final class Dialling {
    private let environment: PushEnvironment
    private let target: ConnectTarget
    private let path: NetworkPath
    private let timing: ClientTiming

    private var race = AddressRace([])
    private var channels: [NetworkAddress: any Channel] = [:]
    private var begunAt: [NetworkAddress: MonotonicTime] = [:]
    private var isFound = false
    private var lookUp: Duration = .zero
    /// What is told when all addresses fail, and whether it says more than that there is no way to one of them.
    private var failure: (told: ConnectionFailure, saysWhy: Bool)?
    private var stopLookingUp: (() -> Void)?
    private var limit: Scheduled<Void>?
    private var headStart: Scheduled<Void>?
    private var progressed: (PushPhase) -> Void = { _ in }
    /// Called once.
    private var ended: ((Result<EstablishedChannel, ConnectionFailure>) -> Void)?

    init(_ environment: PushEnvironment, _ path: NetworkPath, _ timing: ClientTiming) {
        self.environment = environment
        self.path = path
        self.timing = timing
        target = ConnectTarget(environment, through: path.proxy)
    }

    /// - Parameters:
    ///   - loop: Its event loop, on which this is called.
    ///   - progressed: Told what is waited for.
    ///   - ended: Told the end, unless it was given up.
    func begin(
        on loop: any EventLoop, progressed: @escaping (PushPhase) -> Void,
        ended: @escaping (Result<EstablishedChannel, ConnectionFailure>) -> Void
    ) {
        self.progressed = progressed
        self.ended = ended
        lookUpName(loop)
    }

    /// Nobody wants it any more.
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

    /// Leaves nothing behind: no timer, no question, no socket.
    private func stop() {
        limit?.cancel()
        headStart?.cancel()
        stopLookingUp?()
        stopLookingUp = nil
        race.callOff()
        for channel in channels.values { channel.close(promise: nil) }
        channels = [:]
    }

    private func allow(_ duration: Duration, on loop: any EventLoop, else failure: ConnectionFailure) {
        limit?.cancel()
        limit = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: duration)) {
            self.finish(.failure(failure))
        }
    }

    // MARK: The name

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
        // Where nobody has to be asked, the answer is there before this returns.
        guard !isFound else { return }
        stopLookingUp = giveUp
        progressed(.dns)
        allow(timing.resolveTimeout, on: loop, else: .unresolved(target.host, within: timing.resolveTimeout))
    }

    private func found(
        _ answer: Result<[NetworkAddress], NameFailure>, since begun: MonotonicTime, _ loop: any EventLoop
    ) {
        guard ended != nil else { return }
        isFound = true
        stopLookingUp = nil
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

    // MARK: Its addresses

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
            finish(.failure(failure?.told ?? .unreached(target, within: timing.connectTimeout)))
        }
    }

    private func connect(to address: NetworkAddress, _ loop: any EventLoop) {
        begunAt[address] = timing.now()
        path.begun(address)
        let bound = NIOLoopBound(self, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(clamping: timing.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Answers come in bursts: the more of one is read at once, the fewer wake-ups it takes to hand it over.
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
        // One that is made when nobody wants it any more closes as soon as it is connected.
        if ended != nil { channels[address] = channel }
    }

    private func failed(_ address: NetworkAddress, _ error: any Error, _ loop: any EventLoop) {
        guard ended != nil else { return }
        channels[address] = nil
        if !ConnectionFailure.isOurs(error) { path.failed(address, now: timing.now()) }
        remember(.connecting(error, to: target, within: timing.connectTimeout), of: error)
        perform(race.failed(address, now: timing.now()), loop)
    }

    /// The first one is told: but a machine without IPv6 has no way to half of the addresses, which is not the reason.
    private func remember(_ new: ConnectionFailure, of error: any Error) {
        let saysWhy = !ConnectionFailure.isWithoutWay(error)
        if failure == nil || (saysWhy && failure?.saysWhy == false) { failure = (new, saysWhy) }
    }

    private func connected(_ channel: any Channel, to address: NetworkAddress, _ loop: any EventLoop) {
        guard ended != nil, let overtaken = race.connected(address) else { return channel.close(promise: nil) }
        headStart?.cancel()
        channels[address] = nil
        for loser in channels.values { loser.close(promise: nil) }
        channels = [address: channel]
        let now = timing.now()
        for slow in overtaken { path.failed(slow, now: now) }
        path.served(address)
        let reached = EstablishedChannel(
            channel: channel, address: address, lookUp: lookUp, tcp: (begunAt[address] ?? now).duration(to: now))
        guard let proxy = path.proxy else { return hand(over: reached) }
        openTunnel(through: proxy, reached, since: now, loop)
    }

    /// From here on the channel is somebody else's to close.
    private func hand(over reached: EstablishedChannel) {
        channels = [:]
        finish(.success(reached))
    }

    // MARK: The proxy

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
