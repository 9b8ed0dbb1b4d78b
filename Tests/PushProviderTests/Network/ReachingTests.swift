import Logging
import MockAPNs
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PushProvider

/// From a name to TCP, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct ReachingTests {
    /// Answers each question with the same addresses.
    private struct Fixed: NameResolver {
        var addresses: [NetworkAddress]

        func lookUp(
            _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
        ) -> @Sendable () -> Void {
            answer(.success(addresses))
            return {}
        }
    }

    private static func this(_ port: Int) -> NetworkAddress { NetworkAddress(ipv4: (127, 0, 0, 1), port: port) }

    @Test func `connections spread over the addresses of a name`() async throws {
        var servers: [ScriptedServer] = []
        for _ in 0..<4 { servers.append(try await .start(ServerScript(settings: .streams(1)))) }
        let client = try PushClient.sample(
            .local(port: servers[0].port), resolver: Fixed(addresses: servers.map { Self.this($0.port) })
        ) {
            $0.connections = 4
            $0.headStart = .seconds(30)
        }
        let sendings = try await client.start(4)
        for server in servers {
            let connection = try await server.connection(1)
            _ = try await connection.request(1)
        }
        for server in servers { try await server.connection(1).answerOpen(200) }
        #expect(try await sendings.summaries == Array(repeating: "accepted", count: 4))
        #expect(servers.map(\.connections.count) == [1, 1, 1, 1])
    }

    @Test func `an address that swallows packets costs its head start, once`() async throws {
        let nowhere = try HeldPort(swallows: true)
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 200), .goAway(lastStreamID: $0.streamID), .close] }))
        let log = CapturedLog()
        // The other family is tried second whatever chance says: one address each.
        let addresses = [Self.this(nowhere.number), Self.this(server.port)]
        let client = try PushClient.sample(
            .local(port: server.port), logger: log.logger, resolver: Fixed(addresses: addresses))
        for _ in 0..<6 { #expect(try await client.outcome(of: .sample()).summary == "accepted") }
        let reached = log.lines.filter { $0.contains("address") }
        #expect(reached.count == 6)
        #expect(reached.allSatisfy { $0.contains("127.0.0.1:\(server.port)") })
    }

    @Test func `an address where TLS fails is not the next connection's first`() async throws {
        let broken = try await ScriptedServer.start(ServerScript(opening: { _ in .closes }))
        let sound = try await ScriptedServer.start(.answering(200))
        for _ in 0..<5 {
            let client = try PushClient.sample(
                .local(port: sound.port), resolver: Fixed(addresses: [Self.this(broken.port), Self.this(sound.port)])
            ) {
                $0.retry = .standard
                $0.headStart = .seconds(30)
            }
            let outcome = try await client.outcome(of: .sample())
            #expect(outcome.summary == "accepted")
            #expect((outcome.connection ?? 9) <= 2)
        }
    }

    @Test(.enabled("this machine has no IPv6", { await hasIPv6() }))
    func `over IPv6 the certificate, the authority and the words are right`() async throws {
        var configuration = MockConfiguration()
        configuration.listenAddress = "::1"
        let mock = try await MockServer.start(configuration, credentials: .ofThisProcess, logger: .silent)
        // At 127.0.0.1, the port may be that of another server.
        let loopback = NetworkAddress(bytes: [UInt8](repeating: 0, count: 15) + [1], port: mock.port)
        let resolver = Fixed(addresses: [try #require(loopback)])
        for host in ["::1", "[::1]", "localhost"] {
            let log = CapturedLog()
            let client = try PushClient.sample(
                .local(host: host, port: mock.port), logger: log.logger, resolver: resolver)
            #expect(try await client.outcome(of: .sample()).summary == "accepted")
            #expect(
                log.lines.contains { $0.contains("[::1]:\(mock.port)") && $0.contains("connected") }, "\(log.lines)")
        }
        await mock.stop()
    }

    @Test(.enabled("this machine has no IPv6", { await hasIPv6() }))
    func `over IPv6 a certificate for other addresses is refused`() async throws {
        var configuration = MockConfiguration()
        configuration.listenAddress = "::"
        let mock = try await MockServer.start(configuration, credentials: .ofThisProcess, logger: .silent)
        let client = try PushClient.sample(.local(host: "::ffff:127.0.0.1", port: mock.port))
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("[::ffff:127.0.0.1]:\(mock.port)"))
        await mock.stop()
    }

    @Test func `what was measured on the way is kept`() throws {
        let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(
            host: "127.0.0.1", port: 0
        ).wait()
        var reached = EstablishedChannel(
            channel: channel, address: .v4(1), lookUp: .milliseconds(3), tcp: .milliseconds(20))
        #expect("\(reached.metadata["lookup"] ?? "")" == "3.0 ms")
        #expect("\(reached.metadata["tcp"] ?? "")" == "20.0 ms")
        #expect(Set(reached.metadata.keys) == ["address", "lookup", "tcp"])
        reached.proxy = .milliseconds(150)
        #expect("\(reached.metadata["proxy"] ?? "")" == "150.0 ms")
        #expect(Set(reached.metadata.keys) == ["address", "lookup", "tcp", "proxy"])
        try channel.close().wait()
    }

    private static func hasIPv6() async -> Bool {
        let server = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await server.bind(host: "::1", port: 0).get() else { return false }
        try? await channel.close()
        return true
    }
}
