import Foundation
import MockAPNs
import TestSupport
import Testing

/// Two services, each a process of its own, on one queue in PostgreSQL and in front of one mock.
final class ServicePair: Sendable {
    let ground: Ground
    let mock: MockServer
    let services: [Service]

    /// A service that runs.
    struct Service: Sendable {
        let program: RunningProgram
        let url: String
    }

    /// What a service answered.
    struct Reply {
        var status: Int
        var body: String

        var lines: [[String: Any]] { body.split(separator: "\n").compactMap { Self.object(String($0)) } }
        var json: [String: Any] { Self.object(body) ?? [:] }
        var items: [[String: Any]] { json["items"] as? [[String: Any]] ?? [] }

        private static func object(_ text: String) -> [String: Any]? {
            try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        }
    }

    /// Starts both, and waits until each knows of the other.
    init() async throws {
        ground = try Ground()
        mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let server = try #require(try PostgresServer.shared())
        let database = "\(server.address(schema: server.newSchema()))&connect_timeout=600"
        try ground.configure(for: mock, database: database)
        var services: [Service] = []
        for _ in 0..<2 {
            let (program, url) = try await ground.serve(seconds: 3600)
            services.append(Service(program: program, url: url))
        }
        self.services = services
        let key = try await ground.key("read")
        for service in services {
            try await wait { (try await ask(service, key, "/v1/status").json["workers"] as? [Any])?.count == 2 }
        }
    }

    /// Ends both in order.
    func end() async throws {
        for service in services { service.program.signal(SIGTERM) }
        for service in services {
            let ended = await service.program.end()
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(!(ended.output + ended.errors).contains(":\(PostgresServer.password)@"))
        }
        await mock.stop()
    }

    /// Waits until a condition holds.
    func wait(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try Task.checkCancellation() }
    }

    /// Sends a request, without a body or with JSON.
    func ask(
        _ service: Service, _ key: String?, _ path: String, _ body: String? = nil, method: String? = nil,
        type: String = "application/json", headers: [String] = [], cookieJar: String? = nil
    ) async throws -> Reply {
        var words = ["curl", "-sS", "--max-time", "600", "--noproxy", "*", "-w", "\n%{http_code}"]
        words += ["-X", method ?? (body == nil ? "GET" : "POST")]
        if let key { words += ["-H", "authorization: Bearer \(key)"] }
        for header in headers { words += ["-H", header] }
        if let cookieJar { words += ["-c", cookieJar] }
        if let body { words += ["-H", "content-type: \(type)", "--data-binary", body] }
        let program = try ground.start(tool: words + [service.url + path])
        let ended = await program.end()
        let end = try #require(ended.output.lastIndex(of: "\n"), "\(ended.errors)")
        let status = Int(ended.output[ended.output.index(after: end)...]) ?? 0
        return Reply(status: status, body: String(ended.output[..<end]))
    }
}
