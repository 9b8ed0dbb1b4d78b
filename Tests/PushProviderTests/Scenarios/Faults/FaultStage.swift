import MockAPNs
import NIOConcurrencyHelpers
import TestSupport

@testable import PushProvider

/// The server of a row, faulty until it is healed.
final class FaultStage: Sendable {
    let environment: PushEnvironment
    /// Of a key of its own: its provider tokens are nobody else's.
    let key: PushProviderKey

    private enum Server {
        case mock(MockServer)
        case scripted(ScriptedServer)
        /// The port is taken, and nobody listens.
        case nobody(HeldPort, MockCredentials)
    }

    private let server: NIOLockedValueBox<Server>
    private let isHealed: NIOLockedValueBox<Bool>

    /// What stands before the server, where something does.
    let proxy: TestProxy?

    private init(
        _ server: Server, port: Int, credentials: MockCredentials, isHealed: NIOLockedValueBox<Bool>, proxy: TestProxy?
    ) throws {
        self.proxy = proxy
        environment = PushEnvironment(
            host: "127.0.0.1", port: port, trust: .authorities(pem: credentials.authority))
        key = try credentials.providerKey
        self.server = NIOLockedValueBox(server)
        self.isHealed = isHealed
    }

    static func start(
        _ arrangement: FaultRow.Arrangement, proxy: (@Sendable (Int) -> TestProxy.Manner)? = nil
    ) async throws -> FaultStage {
        let credentials = try MockCredentials.inMemory()
        let isHealed = NIOLockedValueBox(false)
        let before: TestProxy?
        if let proxy {
            before = try await TestProxy.start { isHealed.withLockedValue { $0 } ? .tunnels : proxy($0) }
        } else {
            before = nil
        }
        switch arrangement {
        case .mock(let faults, let adjust):
            var configuration = MockConfiguration()
            adjust(&configuration)
            let mock = try await MockServer.start(configuration, credentials: credentials, logger: .silent)
            for fault in faults { try mock.inject(fault) }
            return try FaultStage(
                .mock(mock), port: mock.port, credentials: credentials, isHealed: isHealed, proxy: before)
        case .script(let makeScript):
            var script = makeScript()
            let (opening, onRequest) = (script.opening, script.onRequest)
            script.opening = { isHealed.withLockedValue { $0 } ? .serves : opening($0) }
            script.onRequest = { request in
                isHealed.withLockedValue { $0 } ? [.answer(request.streamID, 200)] : onRequest(request)
            }
            let server = try await ScriptedServer.start(script, identity: ServerIdentity(credentials))
            return try FaultStage(
                .scripted(server), port: server.port, credentials: credentials, isHealed: isHealed, proxy: before)
        case .nobody, .nowhere:
            let held = try HeldPort(swallows: arrangement.isNowhere)
            return try FaultStage(
                .nobody(held, credentials), port: held.number, credentials: credentials, isHealed: isHealed,
                proxy: before)
        }
    }

    var isAsItShouldBe: Bool { isHealed.withLockedValue { $0 } }

    /// From now on it is a server as it should be.
    func heal() async throws {
        isHealed.withLockedValue { $0 = true }
        switch server.withLockedValue({ $0 }) {
        case .mock(let mock): mock.removeAllFaults()
        case .scripted: break
        case .nobody(let held, let credentials):
            held.letGo()
            var configuration = MockConfiguration()
            configuration.port = environment.port
            let mock = try await Self.start(configuration, credentials)
            server.withLockedValue { $0 = .mock(mock) }
        }
    }

    /// Starts a mock on a port that was held until now. The system may need a moment before it gives the port again.
    private static func start(
        _ configuration: MockConfiguration, _ credentials: MockCredentials
    ) async throws -> MockServer {
        for _ in 0..<100 {
            if let mock = try? await MockServer.start(configuration, credentials: credentials, logger: .silent) {
                return mock
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await MockServer.start(configuration, credentials: credentials, logger: .silent)
    }

    func stop() async {
        switch server.withLockedValue({ $0 }) {
        case .mock(let mock): await mock.stop()
        // They end when they are let go of.
        case .scripted, .nobody: break
        }
    }

    var mock: MockServer {
        get throws {
            guard case .mock(let mock) = server.withLockedValue({ $0 }) else { throw WrongStage() }
            return mock
        }
    }

    var scripted: ScriptedServer {
        get throws {
            guard case .scripted(let scripted) = server.withLockedValue({ $0 }) else { throw WrongStage() }
            return scripted
        }
    }

    struct WrongStage: Error {}

    // MARK: The server's own word

    var connectionCount: Int {
        switch server.withLockedValue({ $0 }) {
        case .mock(let mock): mock.connectionCount
        case .scripted(let scripted): scripted.connections.count
        case .nobody: 0
        }
    }

    /// Each request that arrived, and what the server did with it.
    var log: [ServedPush] {
        switch server.withLockedValue({ $0 }) {
        case .mock(let mock): mock.arrivals.map(ServedPush.init)
        case .scripted(let scripted): scripted.connections.flatMap { ServedPush.all(in: $0.record.value) }
        case .nobody: []
        }
    }
}

extension FaultRow.Arrangement {
    fileprivate var isNowhere: Bool { if case .nowhere = self { true } else { false } }
}

/// A request, and what the server did with it.
struct ServedPush: Sendable {
    /// Its `apns-id`, in lower case.
    var id: String
    var deviceToken: String
    var connection: Int
    /// The server may have handed it on.
    var wasProcessed: Bool
    /// The answer as it was sent; `nil` for none.
    var status: Int?
    var reason: RejectionReason?

    init(_ arrival: MockArrival) {
        id = arrival.request.id?.lowercased() ?? ""
        deviceToken = arrival.deviceToken
        connection = arrival.connection
        wasProcessed = arrival.verdict.status == 200
        status = arrival.wasAnswered ? arrival.verdict.status : nil
        reason = arrival.wasAnswered ? arrival.verdict.reason : nil
    }

    private init(_ request: ServedRequest, in record: ServerRecord) {
        let answer = record.answers[request.streamID]
        id = request.apnsID.lowercased()
        deviceToken = String(request.fields[":path"]?.split(separator: "/").last ?? "")
        connection = request.connection
        status = answer?.status
        reason = answer.flatMap { ReasonBody(Array($0.body.utf8)).reason }
        let isRefused = record.refused.contains(request.streamID) || request.streamID > record.lastStreamTaken
        wasProcessed = answer.map { $0.status == 200 } ?? !isRefused
    }

    static func all(in record: ServerRecord) -> [ServedPush] {
        record.requests.map { ServedPush($0, in: record) }
    }
}
