internal import NIOCore
internal import NIOPosix
import PushPlatform
internal import PushWire

/// Tests each hop of a connection to a server with the parts of a real client, so that a send would have the same
/// results. It sends only the requests that it is given.
package struct ServerProbe: Sendable {
    /// The maximum number of addresses that are tried one by one. Further ones are not tried.
    package static let maximumAddresses = 16

    private let environment: PushEnvironment
    private let context: TLSContext
    private let proxy: PushProxy?
    private let timeout: Duration
    private let triesAll: Bool
    private let resolver: any NameResolver

    /// - Parameters:
    ///   - environment: The server.
    ///   - credentials: The credentials; a certificate is sent in the handshake, as by a client.
    ///   - proxy: The proxy; `nil` for none.
    ///   - timeout: The time limit of each hop.
    ///   - triesAll: Whether to try each address of the name alone. Otherwise the first that answers is used, as by a
    ///     client.
    ///   - resolver: Resolves the name; `nil` for the resolver of the system.
    /// - Throws: ``PushCredentialsError`` if the trusted authorities or the certificate cannot be used.
    package init(
        _ environment: PushEnvironment, credentials: PushCredentials?, proxy: PushProxy?, timeout: Duration,
        triesAll: Bool = false, resolver: (any NameResolver)? = nil
    ) throws(PushCredentialsError) {
        self.environment = environment
        context = try environment.makeContext(credentials?.identity)
        self.proxy = proxy
        self.timeout = timeout
        self.triesAll = triesAll
        self.resolver = resolver ?? SystemNames.shared
    }

    /// Runs the probe. It ends after a few time limits at most: one for each hop, and one for each request.
    ///
    /// - Parameter requests: What to send after the PING, on one connection only; `nil` for nothing.
    /// - Returns: What was found.
    package func run(_ requests: ProbedRequests? = nil) async -> ProbeReport {
        let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let target = ConnectTarget(environment, through: proxy)
        let names = await lookUp(target, on: loop)
        guard names.failure == nil else { return ProbeReport(names: names) }
        if let requests {
            let path = await tryPath(environment, names.addresses, context, on: loop, requests)
            return ProbeReport(names: names, paths: [path])
        }
        async let others = tryOtherPorts(names.addresses, on: loop)
        let paths = await tryPaths(names.addresses, on: loop)
        return ProbeReport(names: names, paths: paths, otherPorts: await others)
    }

    // MARK: Name lookup

    private func lookUp(_ target: ConnectTarget, on loop: any EventLoop) async -> ProbedNames {
        let timing = timing
        let begun = timing.now()
        let timeout = timeout
        // The answer or the time limit counts, whichever comes first.
        let first = loop.makePromise(of: Result<[NetworkAddress], ConnectionFailure>.self)
        let limit = loop.scheduleTask(in: TimeAmount(clamping: timeout)) {
            first.succeed(.failure(.unresolved(target.host, within: timeout)))
        }
        let stop = resolver.lookUp(target.host, port: target.port) { answer in
            first.succeed(
                answer.mapError { .unresolved(target.host, $0) }.flatMap {
                    $0.isEmpty ? .failure(.unresolved(target.host, .unknown)) : .success($0)
                })
        }
        let result = (try? await first.futureResult.get()) ?? .success([])
        limit.cancel()
        stop()
        var names = ProbedNames(host: target.host, time: begun.duration(to: timing.now()))
        switch result {
        case .success(let addresses): names.addresses = addresses
        case .failure(let failure): names.failure = ProbeFailure(failure)
        }
        return names
    }

    // MARK: Connections

    private func tryPaths(_ addresses: [NetworkAddress], on loop: any EventLoop) async -> [ProbedPath] {
        guard triesAll else { return [await tryPath(environment, addresses, context, on: loop)] }
        let distinct = addresses.enumerated().filter { !addresses[..<$0.offset].contains($0.element) }.map(\.element)
        return await withTaskGroup(of: (Int, ProbedPath).self) { group in
            for (index, address) in distinct.prefix(Self.maximumAddresses).enumerated() {
                group.addTask {
                    var path = await tryPath(environment, [address], context, on: loop)
                    path.address = address
                    return (index, path)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Tries TCP on the other of Apple's two ports.
    private func tryOtherPorts(_ addresses: [NetworkAddress], on loop: any EventLoop) async -> [ProbedPath] {
        guard environment.appleService != nil else { return [] }
        var other = environment
        other.port = environment.port == APNSHost.port ? APNSHost.alternatePort : APNSHost.port
        return [await tryPath(other, addresses, nil, on: loop)]
    }

    private func tryPath(
        _ environment: PushEnvironment, _ addresses: [NetworkAddress], _ context: TLSContext?, on loop: any EventLoop,
        _ requests: ProbedRequests? = nil
    ) async -> ProbedPath {
        let network = NetworkPath(resolver: KnownAddresses(addresses: addresses), proxy: proxy)
        let timing = timing
        let begun = NIOLoopBoundBox.makeBoxSendingValue(nil, as: PathProbe?.self, eventLoop: loop)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    do {
                        let probe = try PathProbe(to: environment, network, context, timing, requests: requests)
                        begun.value = probe
                        probe.begin(on: loop) { continuation.resume(returning: $0) }
                    } catch {
                        var path = ProbedPath(port: environment.port)
                        path.failure = ProbeFailure(.tls, .other, "TLS can't be set up: \(error).")
                        continuation.resume(returning: path)
                    }
                }
            }
        } onCancel: {
            loop.execute { begun.value?.giveUp() }
        }
    }

    private var timing: ClientTiming {
        ClientTiming(
            resolveTimeout: timeout, connectTimeout: timeout, handshakeTimeout: timeout, settingsTimeout: timeout,
            trustedSilence: timeout, keepAlive: nil, pingTimeout: timeout)
    }
}

/// Answers with addresses that are known already, for any port.
private struct KnownAddresses: NameResolver {
    let addresses: [NetworkAddress]

    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void {
        answer(
            .success(
                addresses.map { known in
                    var address = known
                    address.port = port
                    return address
                }))
        return {}
    }
}
