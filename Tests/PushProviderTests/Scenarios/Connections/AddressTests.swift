import MockAPNs
import NIOCore
import NIOPosix
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// From a name to a connection: most names have several addresses, and looking them up takes its time.
@Suite(.timeLimit(.minutes(10))) struct AddressTests {
    /// A pool whose names resolve as a test wants it.
    private final class Rig: Sendable {
        /// Only ends what hangs.
        private static let patience = Duration.seconds(300)

        let resolver = HeldResolver()

        private let loop: any EventLoop
        private let pool: NIOLoopBoundBox<ConnectionPool>
        private let intake = SendIntake(bound: .init(count: 10, bytes: 1 << 20))

        init(port: Int) throws {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            self.loop = loop
            var configuration = PushConfiguration()
            configuration.resolveTimeout = Self.patience
            configuration.connectTimeout = Self.patience
            let environment = try PushEnvironment.local(port: port)
            let setup = ConnectionSetup(
                environment: environment, path: NetworkPath(resolver: resolver), tls: try environment.makeContext(),
                intake: intake,
                tokens: PushCredentials.token(try MockCredentials.ofThisProcess.providerKey).tokens(for: "mock"),
                timing: .real(configuration), retry: .never, streamsPerConnection: 10, metrics: PushMetrics(),
                logger: .silent)
            let growth = PoolGrowth(minimum: 1, maximum: 1, idleTime: .seconds(60))
            let pool = ConnectionPool(
                setup, growth: growth, published: PublishedPoolFigures(growth, readAhead: 10), loops: [loop])
            self.pool = NIOLoopBoundBox.makeBoxSendingValue(pool, eventLoop: loop)
        }

        func resolve(to ports: [Int]) {
            resolver.answer(.success(ports.map { NetworkAddress(ipv4: (127, 0, 0, 1), port: $0) }))
        }

        func outcome() async -> PushOutcome {
            let now = ClientTiming.real(PushConfiguration()).now()
            let fields = OutgoingFields([(":path", "/3/device/00"), ("apns-topic", "com.example.app")])
            let send = PendingSend(
                .init(fields: fields, body: [], begun: now, deadline: now.advanced(by: Self.patience)))
            await withUnsafeContinuation { continuation in
                send.continuation = continuation
                _ = intake.enqueue(send)
                loop.execute { [pool] in pool.value.wake(earliestLimit: send.limit) }
            }
            return send.deliveredOutcome
        }

        func shutDown(drainTime: Duration) async throws {
            let drained = loop.makePromise(of: Void.self)
            loop.execute { [pool] in pool.value.shutdown(drainTime: drainTime, promise: drained) }
            try await drained.futureResult.get()
        }
    }

    @Test func `where one address refuses, the next one is used`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let rig = try Rig(port: server.port)
        rig.resolve(to: [1, 2, server.port])
        #expect(await rig.outcome().summary == "accepted")
        try await rig.shutDown(drainTime: .seconds(20))
        #expect(server.connections.count == 1)
    }

    @Test func `if all addresses refuse, the error of the first is reported`() async throws {
        let rig = try Rig(port: 1)
        rig.resolve(to: [1, 2])
        #expect(await rig.outcome().summary == "not sent: no_connection, tcp")
        try await rig.shutDown(drainTime: .seconds(20))
    }

    @Test func `a name without addresses does not resolve`() async throws {
        let rig = try Rig(port: 1)
        rig.resolve(to: [])
        #expect(await rig.outcome().summary == "not sent: no_connection, dns")
        try await rig.shutDown(drainTime: .seconds(20))
    }

    @Test func `a deadline that passes while the name is looked up says so`() async throws {
        let (time, resolver) = (StoppableTime(), HeldResolver())
        let client = try PushClient.sample(.local(port: 1), resolver: resolver, time: time)
        let sending = try await time.whileStopped {
            let sending = try await client.start(.sample(), timeout: .milliseconds(200))
            try await resolver.count.wait(for: "the question") { $0 == 1 }
            return sending
        }
        let outcome = try await sending.value
        #expect(outcome.summary == "not sent: deadline, dns")
        #expect(outcome.sentence.contains("the lookup of the name \"127.0.0.1\" isn't finished"))
    }

    @Test func `a name that is resolved after the shutdown is not connected to`() async throws {
        let server = try await ScriptedServer.start()
        let rig = try Rig(port: server.port)
        let outcome = Task(executorPreference: OneByOne.shared) { await rig.outcome() }
        await OneByOne.shared.goneThrough()
        try await rig.shutDown(drainTime: .milliseconds(200))
        #expect(await outcome.value.summary == "not sent: shutdown, queue")
        #expect(rig.resolver.isGivenUp)
        rig.resolve(to: [server.port])
        // A connection of another client comes after one that this answer might have begun.
        let other = try PushClient.sample(to: server)
        let sending = try await other.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.answerOpen(200)
        #expect(try await sending.summary == "accepted")
        #expect(server.connections.count == 1)
    }
}
