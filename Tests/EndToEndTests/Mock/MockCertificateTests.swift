import Foundation
import TestSupport
import Testing

/// What the mock makes of client certificates, seen by curl.
@Suite(.takingTurns) struct MockCertificateTests {
    /// A push with a certificate of `certs.example`, and what comes of it.
    struct Push: Sendable, CustomTestStringConvertible {
        var file: String
        var headers: [String] = []
        var authorization = ""
        /// 0 for no answer at all.
        var status: Int
        var reason: String?

        var testDescription: String { "\(file) \(headers.joined(separator: " ")) \(authorization)" }
    }

    static let pushes = [
        Push(file: "universal.p12", headers: ["apns-topic: com.example.app", "apns-push-type: alert"], status: 200),
        Push(
            file: "universal.p12", headers: ["apns-topic: com.example.app.voip", "apns-push-type: voip"], status: 200),
        Push(file: "universal.p12", status: 400, reason: "MissingTopic"),
        Push(file: "universal.p12", headers: ["apns-topic: com.example.other"], status: 400, reason: "TopicDisallowed"),
        Push(file: "sandbox.p12", status: 200),
        Push(file: "sandbox.p12", authorization: "bearer no.token.at-all", status: 200),
        Push(file: "plain.p12", headers: ["apns-topic: com.example.anything"], status: 0),
        Push(file: "production.p12", status: 0),
        Push(file: "expired.p12", headers: ["apns-topic: com.example.app"], status: 0),
    ]

    @Test func `each certificate gets the answer that Apple would give`() async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        let requests = try await RunningMock.with("--certs", workspace.path("certs"), in: workspace) { mock in
            for push in Self.pushes {
                let answer = try await mock.curl(
                    nil, ["--cert-type", "P12", "--cert", "\(workspace.path("certs/\(push.file)")):example"],
                    headers: push.headers, authorization: push.authorization)
                #expect(answer.status == push.status, "\(push)")
                #expect(answer.reason == push.reason, "\(push)")
            }
            let withoutAny = try await mock.curl(authorization: "")
            #expect(withoutAny.reason == "MissingProviderToken")
            let withToken = try await mock.curl()
            #expect(withToken.status == 200)
        }
        // Those without an answer were turned away, most of them before a request was read.
        let answered = requests.filter { ($0["status"]?.integer ?? 0) != 0 }
        #expect(answered.count == Self.pushes.count { $0.status != 0 } + 2)
    }

    /// Clients of OpenSSL, GnuTLS, Go, Node and Java offer the session of their first connection on their second one.
    @Test(arguments: ["tls1_2", "tls1_3"])
    func `a second connection that offers the session of the first one is served`(version: String) async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        let (certificate, session) = (workspace.path("certificate.pem"), workspace.path("session.pem"))
        try await workspace.prepare(
            "openssl pkcs12 -in certs/universal.p12 -passin pass:example -nodes -out certificate.pem 2>&1")
        try await RunningMock.with("--certs", workspace.path("certs"), in: workspace) { mock in
            let ports = [
                mock.port, try #require(mock.ready["sandbox_channels_port"]?.integer),
                try #require(mock.ready["production_channels_port"]?.integer),
            ]
            for port in ports {
                let connect = """
                    openssl s_client -connect localhost:\(port) -\(version) -alpn h2 -CAfile '\(mock.caFile)' \
                    -cert '\(certificate)' -key '\(certificate)'
                    """
                // Without a ticket, TLS 1.3 gives no session to write.
                let first = try await workspace.shell("\(connect) -sess_out '\(session)' </dev/null 2>&1")
                #expect(first.status == 0 && first.output.contains("ALPN protocol: h2"), "\(first)")
                let offer = FileManager.default.fileExists(atPath: session) ? "-sess_in '\(session)'" : ""
                let second = try await workspace.shell("\(connect) \(offer) </dev/null 2>&1")
                #expect(second.status == 0 && second.output.contains("ALPN protocol: h2"), "\(second)")
                #expect(!second.output.contains("alert"), "\(second)")
                #expect(second.output.contains("New, TLSv1") && !second.output.contains("session ticket:"), "\(second)")
            }
        }
    }

    @Test func `a certificate of production is for a mock of production`() async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        try await RunningMock.with("--certs", workspace.path("certs"), "-e", "production", in: workspace) { mock in
            let flags = ["--cert-type", "P12", "--cert", "\(workspace.path("certs/production.p12")):example"]
            let answer = try await mock.curl(nil, flags, headers: [], authorization: "")
            #expect(answer.status == 200)
        }
    }

    @Test func `a certificate of another team is refused, and accepted with --auth any`() async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        let made = try await workspace.shell(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj '/CN=Apple Push Services: com.example.app' \\
                -keyout '\(workspace.path("other.key"))' -out '\(workspace.path("other.pem"))'
            """)
        #expect(made.status == 0)
        let flags = ["--cert", workspace.path("other.pem"), "--key", workspace.path("other.key")]
        try await RunningMock.with("--certs", workspace.path("certs"), in: workspace) { mock in
            let answer = try await mock.curl(nil, flags, authorization: "")
            #expect(answer.status == 0)
        }
        try await RunningMock.with("--certs", workspace.path("certs"), "--auth", "any", in: workspace) { mock in
            let answer = try await mock.curl(nil, flags, authorization: "")
            #expect(answer.status == 200)
        }
    }

    @Test func `ready waits for a mock that is about to start, and fails without one`() async throws {
        let workspace = try Workspace()
        let none = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "100ms")
        #expect(none.status == 69)
        #expect(none.errors.contains("No mock is running"))
        let waiting = try workspace.startPushsend(["mock", "ready", "--state", "mock", "--timeout", "250s"])
        try await RunningMock.with(in: workspace) { mock in
            let ended = await waiting.end()
            #expect(ended.status == 0)
            #expect(ended.output == "The mock is ready on localhost:\(mock.port).\n")
        }
    }

    /// What is wrong with a folder, and the file that the message names.
    static let spoiled = [
        ("rm certs/ca.pem", "ca.pem", 66), ("rm certs/server.key", "server.key", 66),
        ("rm certs/team-id.txt", "team-id.txt", 66), ("echo short > certs/team-id.txt", "team-id.txt", 77),
        ("rm certs/AuthKey_*", "AuthKey_ABC123DEFG.p8", 66),
        ("echo x > certs/AuthKey_MOCKKEY123.p8", "AuthKey_MOCKKEY123.p8", 77),
        ("echo x > certs/ca.pem", "ca.pem", 77), ("rm -r certs", "certs", 66),
        ("rm -r certs; echo x > certs", "ca.pem", 77),
    ]

    @Test func `a folder in which something is missing or damaged is refused, and the file named`() async throws {
        let workspace = try Workspace()
        for (spoil, file, status) in Self.spoiled {
            try await workspace.makeCertificates()
            _ = try await workspace.run(["sh", "-c", "cd '\(workspace.folder.path())' && \(spoil)"])
            let refused = try await workspace.pushsend("mock", "--port", "0", "--state", "mock", "--certs", "certs")
            #expect(refused.status == Int32(status), "\(spoil): \(refused.errors)")
            #expect(refused.errors.contains(file), "\(spoil): \(refused.errors)")
            #expect(refused.errorLines.count == 1, "\(spoil): \(refused.errors)")
            _ = try await workspace.run(["rm", "-rf", workspace.path("certs")])
        }
    }
}
