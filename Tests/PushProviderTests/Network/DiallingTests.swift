import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PushProvider

/// One connection's way, without what it carries.
@Suite(.timeLimit(.minutes(10))) struct DiallingTests {
    private struct Arrival: Sendable {
        var address: NetworkAddress
        var phases: [PushOutcome.Phase]
    }

    private static func dial(
        _ path: NetworkPath, _ adjust: (inout PushConfiguration) -> Void = { _ in }
    ) async throws -> Arrival {
        var configuration = PushConfiguration()
        adjust(&configuration)
        let timing = ClientTiming.real(configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let arrived = loop.makePromise(of: Arrival.self)
        loop.execute {
            var phases: [PushOutcome.Phase] = []
            Dialling(PushEnvironment(host: "push.example", port: 443), path, timing).begin(
                on: loop, progressed: { phases.append($0) },
                ended: { result in
                    switch result {
                    case .failure(let failure): arrived.fail(failure)
                    case .success(let reached):
                        reached.channel.close(promise: nil)
                        arrived.succeed(.init(address: reached.address, phases: phases))
                    }
                })
        }
        return try await arrived.futureResult.get()
    }

    private static func this(_ port: Int) -> NetworkAddress { NetworkAddress(ipv4: (127, 0, 0, 1), port: port) }

    @Test func `an address that was overtaken comes last the next time`() async throws {
        let nowhere = try HeldPort(swallows: true)
        let server = try await ScriptedServer.start()
        let (silent, sound) = (Self.this(nowhere.number), Self.this(server.port))
        let resolver = HeldResolver()
        resolver.answer(.success([silent, sound]))
        let path = NetworkPath(resolver: resolver)
        // It is the other's turn.
        path.begun(sound)
        let first = try await Self.dial(path)
        #expect(first.address == sound)
        #expect(first.phases == [.tcp])
        #expect(path.order([silent, sound], now: ClientTiming.real(PushConfiguration()).now()) == [sound, silent])
    }

    @Test func `each phase of the way to a tunnel is reported`() async throws {
        let server = try await ScriptedServer.start()
        let proxy = try await TestProxy.start { _ in .tunnelsTo(server.port) }
        let resolver = HeldResolver()
        let named = try PushProxy(host: "proxy.example")
        let path = NetworkPath(resolver: resolver, proxy: named)
        async let arrival = Self.dial(path)
        try await resolver.count.wait(for: "the question") { $0 == 1 }
        resolver.answer(.success([Self.this(proxy.port)]))
        #expect(try await arrival.phases == [.dns, .tcp, .proxy])
        #expect(resolver.asked == ["proxy.example"])
    }

    @Test func `when the time for the name is over, the lookup is abandoned`() async throws {
        let resolver = HeldResolver()
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await Self.dial(NetworkPath(resolver: resolver)) { $0.resolveTimeout = .milliseconds(50) }
        }
        #expect(failure?.phase == .dns)
        #expect(
            failure?.description
                == "the name \"push.example\" wasn't resolved within 0.05 s: "
                + "the DNS server is slow, or doesn't answer.")
        #expect(failure?.isPassing == true)
        #expect(resolver.isGivenUp)
    }

    @Test(arguments: [
        (NameFailure.unknown, "can't be resolved: check the name, and the DNS of this machine."),
        (.noServer, "can't be resolved now: no DNS server answered."),
        (.noDescriptors, "can't be resolved: this process has no file descriptor left."),
        (.other("odd"), "can't be resolved (odd): check the name, and the DNS of this machine."),
    ])
    func `a name without an address gives the reason`(failure: NameFailure, words: String) async throws {
        let resolver = HeldResolver()
        resolver.answer(.failure(failure))
        let thrown = await #expect(throws: ConnectionFailure.self) {
            try await Self.dial(NetworkPath(resolver: resolver))
        }
        #expect(thrown == ConnectionFailure(phase: .dns, description: "the name \"push.example\" \(words)"))
    }

    @Test func `an address without a way to it is not the reason where another one refuses`() async throws {
        let resolver = HeldResolver()
        // Of the block for documentation: nobody routes it.
        let unroutable = try #require(NetworkAddress(literal: "2001:db8::1", port: 1))
        resolver.answer(.success([unroutable, Self.this(1)]))
        // The time only ends what hangs: a busy machine needs long for a refusal.
        let thrown = await #expect(throws: ConnectionFailure.self) {
            try await Self.dial(NetworkPath(resolver: resolver)) { $0.connectTimeout = .seconds(300) }
        }
        #expect(thrown?.description.contains("refused the connection") == true, "\(String(describing: thrown))")
    }
}
