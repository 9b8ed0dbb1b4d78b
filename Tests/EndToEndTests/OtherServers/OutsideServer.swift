import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// The server of `Clients/outside_server.py`, which shares no line with ours, on the package h2.
final class OutsideServer: Sendable {
    let environment: PushEnvironment
    let credentials: MockCredentials

    private let workspace: Workspace
    private let program: RunningProgram

    private init(_ plan: String) async throws {
        let python = try BuiltProgram.preparedPython(with: "h2")
        workspace = try Workspace()
        // For the certificate and its key.
        credentials = try MockCredentials.kept(in: workspace.path("mock"))
        program = try workspace.start(
            URL(filePath: python),
            [BuiltProgram.client("outside_server.py"), "mock/server.pem", "mock/server-key.pem", plan])
        guard let line = await program.output.line(0), let port = Int(line) else {
            program.terminate()
            throw RunningMock.NotReady(description: "outside_server.py ended: \(await program.end().errors)")
        }
        environment = PushEnvironment(
            host: "127.0.0.1", port: port, trust: .authorities(pem: credentials.authority))
    }

    /// Runs one with a plan around `body`.
    ///
    /// - Returns: What it has seen.
    static func with(_ plan: String, _ body: (OutsideServer) async throws -> Void) async throws -> OutsideLog {
        let server = try await OutsideServer(plan)
        do {
            try await body(server)
        } catch {
            _ = await server.stop()
            throw error
        }
        return await server.stop()
    }

    private func stop() async -> OutsideLog {
        program.terminate()
        let ended = await program.end()
        #expect(ended.errors == "")
        return OutsideLog(ended.output)
    }

    /// A client of it that sends again whatever may be sent again, with little patience between.
    func client(_ guarantee: PushConfiguration.RetryPolicy.Guarantee) throws -> PushClient {
        var configuration = PushConfiguration()
        configuration.maximumConnections = 1
        // So long that only a client that has lost a push sees its end.
        configuration.timeout = .seconds(250)
        configuration.retry.guarantee = guarantee
        configuration.retry.firstPause = .milliseconds(5)
        configuration.retry.longestPause = .milliseconds(20)
        let key = try PushProviderKey(p8: credentials.p8.utf8, keyID: credentials.keyID, teamID: credentials.teamID)
        return try PushClient(environment: environment, credentials: .token(key), configuration: configuration)
    }
}

/// What an outside server says that it has seen and done.
struct OutsideLog: Sendable {
    /// A request that came whole.
    struct Request: Sendable {
        var id: String
        var connection: Int
        var size: Int
        /// How many streams were open.
        var open: Int
        /// What was answered; `nil` for nothing.
        var status: Int?
        /// It was processed, and the client got no answer.
        var wasProcessed: Bool
    }

    private(set) var requests: [Request] = []
    /// What the client did that HTTP/2 forbids, in the words of h2.
    private(set) var violations: [String] = []
    /// Each happening in one word, in order.
    private(set) var words: [String] = []

    init(_ output: String) {
        var places: [[Int]: Int] = [:]
        for line in output.split(separator: "\n").dropFirst() {
            let event = JSON(parsing: String(line))
            words.append(event["event"]?.string ?? "?")
            let stream = [event["connection"]?.integer ?? 0, event["stream"]?.integer ?? 0]
            switch words.last {
            case "request":
                places[stream] = requests.count
                requests.append(Request(event))
            case "answered":
                if let index = places[stream] { requests[index].status = event["status"]?.integer }
            case "processed":
                if let index = places[stream] { requests[index].wasProcessed = true }
            case "violation": violations.append(event["words"]?.string ?? "")
            default: break
            }
        }
    }

    var connectionCount: Int { words.count { $0 == "settings" } }
}

extension OutsideLog.Request {
    fileprivate init(_ event: JSON) {
        id = event["id"]?.string ?? ""
        connection = event["connection"]?.integer ?? 0
        size = event["size"]?.integer ?? 0
        open = event["seen"]?.integer ?? 0
        wasProcessed = false
    }
}
