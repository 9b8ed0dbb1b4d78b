import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct BadConnectionTests {
    let workspace: Workspace

    /// Each has a mock's key and CA to send with.
    init() async throws {
        workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in }
    }

    @Test func `a name that does not resolve`() async throws {
        expectNotSent(try await send(to: "push.nowhere.invalid:443"), 69, "push.nowhere.invalid", "DNS")
    }

    @Test func `a port where nothing listens`() async throws {
        try await StrangeServer.with { server in
            let port = try await server.closedPort()
            expectNotSent(try await send(to: "127.0.0.1:\(port)"), 69, "127.0.0.1:\(port)", "refused")
        }
    }

    @Test func `a port that takes the connection and is silent`() async throws {
        try await StrangeServer.with { server in
            var ended = try await send(to: "127.0.0.1:\(server.port)", "--timeout", "1s")
            // A busy machine may need that time to get as far as the handshake. The handshake itself has 10 s.
            for timeout in ["3s", "9s"] where !ended.errors.contains("TLS handshake") {
                ended = try await send(to: "127.0.0.1:\(server.port)", "--timeout", timeout)
            }
            expectNotSent(ended, 69, "deadline", "TLS handshake", "127.0.0.1:\(server.port)")
        }
    }

    @Test func `a server that does not speak TLS`() async throws {
        try await StrangeServer.with(saying: "HTTP/1.1 400 Bad Request\r\n\r\n") { server in
            let ended = try await send(to: "127.0.0.1:\(server.port)")
            expectNotSent(ended, 69, "127.0.0.1:\(server.port)", "doesn't speak TLS", "port")
        }
    }

    @Test func `a server that hangs up during the handshake`() async throws {
        try await StrangeServer.with(saying: "") { server in
            expectNotSent(try await send(to: "127.0.0.1:\(server.port)"), 69, "127.0.0.1:\(server.port)")
        }
    }

    @Test(arguments: [[], ["-alpn", "http/1.1"]])
    func `a server without HTTP/2`(flags: [String]) async throws {
        try await withOpenSSLServer(certificate: "mock/server.pem", key: "mock/server-key.pem", flags) { port in
            expectNotSent(try await send(to: "127.0.0.1:\(port)"), 69, "127.0.0.1:\(port)", "HTTP/2")
        }
    }

    @Test func `a server with a certificate for another name`() async throws {
        try await workspace.prepare(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem \
              -days 1 -subj /CN=other.example -addext subjectAltName=DNS:other.example 2>/dev/null
            """)
        try await withOpenSSLServer(certificate: "other.pem", key: "other.key", ["-alpn", "h2"]) { port in
            let ended = try await send(to: "127.0.0.1:\(port)", "--cacert", "other.pem")
            expectNotSent(ended, 69, "127.0.0.1:\(port)", "certificate", "name")
        }
    }

    @Test func `a server whose authority is not known`() async throws {
        let requests = try await RunningMock.with { stranger in
            let ended = try await send(to: "localhost:\(stranger.port)")
            expectNotSent(ended, 69, "localhost:\(stranger.port)", "authority", "--cacert")
        }
        #expect(requests.isEmpty)
    }

    private func send(to endpoint: String, _ flags: String...) async throws -> Ended {
        try await workspace.pushsend(
            [
                "send", RunningMock.token, "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12",
                "--topic", "com.example.app", "-m", "Hello", "--endpoint", endpoint,
            ] + (flags.contains("--cacert") ? [] : ["--cacert", "mock/ca.pem"]) + flags)
    }

    /// Runs a TLS server that is no APNs around `body`, which gets its port.
    private func withOpenSSLServer(
        certificate: String, key: String, _ flags: [String], _ body: (String) async throws -> Void
    ) async throws {
        let server = try workspace.start(
            URL(filePath: "/usr/bin/env"),
            ["openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + flags)
        defer { server.terminate() }
        var number = 0
        while let line = await server.output.line(number) {
            if line.hasPrefix("ACCEPT ") { return try await body(String(line.split(separator: ":").last ?? "")) }
            number += 1
        }
        Issue.record("openssl s_server did not say its port.")
    }
}
