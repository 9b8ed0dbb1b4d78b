import Foundation
import MockAPNs
import TestSupport
import Testing

/// A service whose Apple is a mock.
extension Ground {
    /// Writes a configuration with one app, `shop`, and the files that it names.
    func configure(
        for mock: MockServer, port: Int? = nil, keyID: String? = nil, database: String = "queue.sqlite",
        _ more: String = ""
    ) throws {
        let credentials = mock.credentials
        try write(Array(credentials.p8.utf8), to: "key.p8")
        try write(Array(credentials.authority.utf8), to: "ca.pem")
        try write(
            """
            listen: 127.0.0.1:0
            database: \(database)
            apps:
              shop:
                environment: {host: localhost, port: \(port ?? mock.port), ca: ca.pem}
                key: {file: key.p8, id: \(keyID ?? credentials.keyID), team: \(credentials.teamID)}
                topic: com.example.shop
            \(more)
            """, to: "pushserve.yaml")
    }

    /// Makes an API key for the app.
    func key(_ scopes: String = "send,read") async throws -> String {
        let ended = try await pushserve("key", "create", "--app", "shop", "--scope", scopes, "--json")
        return try #require(ended.objects.first?["key"] as? String, "\(ended.errors)")
    }

    /// Starts the service, and waits until it is ready. Returns its URL too.
    func serve(seconds: Int = 600) async throws -> (program: RunningProgram, url: String) {
        let program = try start(["run", "--json"], seconds: seconds)
        let line = try #require(await program.output.line(with: #""event":"ready""#))
        let ready = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (program, try #require(ready?["url"] as? String))
    }
}
