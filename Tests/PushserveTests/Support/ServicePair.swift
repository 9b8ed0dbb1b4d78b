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
        try ground.write(Array(mock.credentials.p8.utf8), to: "key.p8")
        try ground.write(Array(mock.credentials.authority.utf8), to: "ca.pem")
        try ground.write(
            """
            listen: 127.0.0.1:0
            database: \(server.address(schema: server.newSchema()))&connect_timeout=600
            apps:
              shop:
                environment: {host: localhost, port: \(mock.port), ca: ca.pem}
                key: {file: key.p8, id: \(mock.credentials.keyID), team: \(mock.credentials.teamID)}
                topic: com.example.shop
            """, to: "pushserve.yaml")
        var services: [Service] = []
        for _ in 0..<2 {
            let program = try ground.start(["run", "--json"], seconds: 3600)
            let line = try #require(await program.output.line(with: #""event":"ready""#))
            let ready = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            services.append(Service(program: program, url: try #require(ready?["url"] as? String)))
        }
        self.services = services
        let key = try await key("read")
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

    /// Makes an API key by the command.
    func key(_ scopes: String) async throws -> String {
        let made = try await ground.pushserve("key", "create", "--app", "shop", "--scope", scopes, "--json")
        return try #require(made.objects.first?["key"] as? String, "\(made.errors)")
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
