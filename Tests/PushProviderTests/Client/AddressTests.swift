import MockAPNs
import NIOCore
import NIOPosix
import PushWire
import Testing

@testable import PushProvider

/// From a name to a connection: most names have several addresses, and looking them up takes its time.
@Suite(.timeLimit(.minutes(1))) struct AddressTests {
    /// A pool whose names resolve as a test wants it.
    private final class Rig: Sendable {
        let addresses: EventLoopPromise<[SocketAddress]>

        private let loop: any EventLoop
        private let pool: NIOLoopBoundBox<ConnectionPool>
        private let desk = SendDesk(bound: .init(count: 10, bytes: 1 << 20))

        init(port: Int) throws {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            self.loop = loop
            addresses = loop.makePromise()
            let environment = try PushEnvironment.local(port: port)
            let pool = ConnectionPool(
                environment: environment, tls: try environment.trust.makeContext(), desk: desk,
                tokens: .shared(for: try MockCredentials.ofThisProcess.providerKey),
                clocks: .real(PushConfiguration()), streamsPerConnection: 10, retry: .never, metrics: PushMetrics(),
                tally: OutcomeTally(),
                logger: .silent, loop: loop,
                resolver: OneAnswer(addresses: addresses.futureResult, none: loop.makeSucceededFuture([]))
            )
            self.pool = NIOLoopBoundBox.makeBoxSendingValue(pool, eventLoop: loop)
        }

        func resolve(to ports: [Int]) throws {
            addresses.succeed(try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) })
        }

        func outcome() async -> PushOutcome {
            let now = Clocks.real(PushConfiguration()).now()
            let fields = OutgoingFields([(":path", "/3/device/00"), ("apns-topic", "com.example.app")])
            let send = PendingSend(
                .init(fields: fields, body: [], begun: now, deadline: now.advanced(by: .seconds(20))))
            await withUnsafeContinuation { continuation in
                send.continuation = continuation
                _ = desk.handIn(send)
                loop.execute { [pool] in pool.value.wake(earliestLimit: send.limit) }
            }
            return send.told
        }

        func shutDown(drainTime: Duration) async throws {
            let drained = loop.makePromise(of: Void.self)
            loop.execute { [pool] in pool.value.shutdown(drainTime: drainTime, promise: drained) }
            try await drained.futureResult.get()
        }
    }

    private struct OneAnswer: Resolver, Sendable {
        var addresses: EventLoopFuture<[SocketAddress]>
        var none: EventLoopFuture<[SocketAddress]>

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { none }
        func cancelQueries() {}
    }

    @Test func `where one address refuses, the next one is used`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let rig = try Rig(port: server.port)
        try rig.resolve(to: [1, 2, server.port])
        #expect(await rig.outcome().summary == "accepted")
        try await rig.shutDown(drainTime: .seconds(20))
        #expect(server.connections.count == 1)
    }

    @Test func `where all addresses refuse, the first one's words are told`() async throws {
        let rig = try Rig(port: 1)
        try rig.resolve(to: [1, 2])
        #expect(await rig.outcome().summary == "not sent: no_connection, tcp")
        try await rig.shutDown(drainTime: .seconds(20))
    }

    @Test func `a name without addresses does not resolve`() async throws {
        let rig = try Rig(port: 1)
        try rig.resolve(to: [])
        #expect(await rig.outcome().summary == "not sent: no_connection, dns")
        try await rig.shutDown(drainTime: .seconds(20))
    }

    @Test func `a connection that comes about after the shutdown is closed without a word`() async throws {
        let server = try await ScriptedServer.start()
        let rig = try Rig(port: server.port)
        let outcome = Task(executorPreference: OneByOne.shared) { await rig.outcome() }
        await OneByOne.shared.goneThrough()
        try await rig.shutDown(drainTime: .milliseconds(200))
        #expect(await outcome.value.summary == "not sent: shutdown, queue")
        try rig.resolve(to: [server.port])
        let record = try await server.connection(1).record.wait(for: "the end") { $0.isClosed }
        #expect(record.plaintextBytes == 0)
        #expect(!record.isEstablished)
    }
}
