import Foundation
import TestSupport
import Testing

/// `pushsend doctor` against a healthy mock, and against servers and proxies that are not.
@Suite(.takingTurns) struct DoctorCommandTests {
    @Test func `a healthy mock is well in every hop`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject") { mock in
            let found = try await mock.doctor()
            found.expect(
                "credentials", "ok", exit: 0, fact: "Accepted. The made-up device token got 400 BadDeviceToken.")
            found.expect(
                "ok", of: "libraries", "trust_store", "key", "name", "tcp", "tls", "alpn", "settings", "ping")
            found.expect("not_known", of: "clock")
            #expect(found.hop("libraries")?["openssl"]?.string?.hasPrefix("OpenSSL 3") == true)
            #expect(found.hop("tls")?["version"]?.string == "TLSv1.3")
            #expect(found.hop("tls")?["chain"]?.elements.count == 2)
            #expect(found.hop("alpn")?["protocol"]?.string == "h2")
            #expect(found.hop("settings")?["max_concurrent_streams"]?.integer == 1)
            #expect(found.hop("credentials")?["reason"]?.string == "BadDeviceToken")
            #expect(found.errors == "")
        }
    }

    @Test func `for people, each hop is a line, and the last line is the conclusion`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject") { mock in
            let ended = try await mock.workspace.pushsend(
                "doctor", "--mock", "--state", "mock", "--topic", RunningMock.topic)
            #expect(ended.status == 0)
            let lines = ended.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "pushsend doctor: localhost:\(mock.port)")
            #expect(lines.last == "No problems found between here and localhost:\(mock.port).")
            #expect(lines.dropFirst().dropLast().count == 12)
            for line in lines.dropFirst().dropLast() {
                #expect(line.hasPrefix("✓ ") || line.hasPrefix("? clock "), "\(line)")
            }
        }
    }

    @Test func `a mock that accepts every token is named as one, which is not wrong`() async throws {
        let requests = try await RunningMock.with { mock in
            try await mock.doctor().expect("credentials", "note", exit: 0, fact: "a mock that accepts unknown tokens")
        }
        // It is the only request, and its device token is made up.
        #expect(requests.count == 1)
        #expect(requests.first?["push_type"] == "background")
        #expect(requests.first?["priority"] == "5")
        #expect(requests.first?["token"]?.string?.hasPrefix("646f63746f72") == true, "\(requests)")
    }

    // MARK: Without a connection

    @Test func `no server listens`() async throws {
        try await StrangeServer.with { server in
            let port = try await server.closedPort()
            let found = try await Workspace().doctor(["--endpoint", "127.0.0.1:\(port)"])
            found.expect("tcp", "failed", exit: 69, fact: "refused the connection", remedy: "server is running")
            found.expect("skipped", of: "tls", "alpn", "settings", "ping", "credentials")
        }
    }

    @Test func `a name that does not resolve`() async throws {
        let found = try await Workspace().doctor(["--endpoint", "no-such-host.invalid:443"])
        found.expect("name", "failed", exit: 69, fact: "no-such-host.invalid", remedy: "DNS")
        found.expect("skipped", of: "tcp", "tls", "credentials")
        #expect(found.hop("tcp")?["fact"]?.string == "The name wasn't resolved.")
    }

    @Test func `a server that says nothing`() async throws {
        try await StrangeServer.with { server in
            let found = try await Workspace().doctor(["--endpoint", "127.0.0.1:\(server.port)", "--timeout", "2s"])
            found.expect("tls", "failed", exit: 69, fact: "didn't answer the TLS handshake within 2")
        }
    }

    @Test func `a plain HTTP server`() async throws {
        try await StrangeServer.with(saying: "HTTP/1.1 400 Bad Request\r\n\r\n") { server in
            let found = try await Workspace().doctor(["--endpoint", "127.0.0.1:\(server.port)"])
            found.expect("tls", "failed", exit: 69, fact: "doesn't speak TLS", remedy: "a plain HTTP server")
        }
    }

    // MARK: TLS

    @Test func `an authority that is not trusted, with its name`() async throws {
        try await RunningMock.with { mock in
            let found = try await mock.workspace.doctor(["--endpoint", "localhost:\(mock.port)"])
            found.expect(
                "tls", "failed", exit: 69, fact: "APNs mock authority", "isn't trusted", remedy: "--cacert", "--mock",
                "captive portal")
        }
    }

    @Test(arguments: [
        ("other_host", "not for localhost", "Use a name"), ("expired", "expired on 2", "clock of this machine"),
        ("not_yet_valid", "isn't valid yet", "clock of this machine"),
        ("unknown_authority", "isn't trusted", "doesn't contain the authority"),
    ])
    func `a certificate that is wrong`(certificate: String, fact: String, remedy: String) async throws {
        let fault = #"{"at":"connection_accepted","steps":[{"tls":{"certificate":"\#(certificate)"}}]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor()
            found.expect("tls", "failed", exit: 69, fact: fact, remedy: remedy)
            found.expect("skipped", of: "alpn", "settings", "ping", "credentials")
        }
    }

    @Test(arguments: ["http/1.1", "nothing"])
    func `no HTTP/2, as behind a captive portal`(agreed: String) async throws {
        let fault = #"{"at":"connection_accepted","steps":[{"tls":{"alpn":"\#(agreed)"}}]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor()
            found.expect("alpn", "failed", exit: 69, fact: "doesn't negotiate HTTP/2", remedy: "captive portal")
            found.expect(agreed == "nothing" ? "ok" : "not_known", of: "tls")
        }
    }

    // MARK: HTTP/2

    @Test func `no SETTINGS`() async throws {
        try await RunningMock.with("--fault", #"{"at":"connection_established","steps":["no_answer"]}"#) { mock in
            let found = try await mock.doctor { $0.hop("alpn")?["verdict"] == "ok" }
            found.expect("settings", "failed", exit: 69, fact: "sent no HTTP/2 SETTINGS", remedy: "HTTP/2 server")
            found.expect("ok", of: "tls", "alpn")
        }
    }

    @Test func `something other than HTTP/2 after TLS`() async throws {
        let fault =
            #"{"at":"connection_established","steps":["no_answer",{"bytes":"HTTP/1.1 400 Bad Request\\r\\n\\r\\n"}]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor { $0.hop("settings")?["verdict"] == "failed" }
            found.expect("settings", "failed", exit: 69, remedy: "HTTP/2 server")
        }
    }

    @Test func `a test server without ALPN is used with --no-alpn`() async throws {
        let fault = #"{"at":"connection_accepted","steps":[{"tls":{"alpn":"nothing"}}]}"#
        try await RunningMock.with("--fault", fault, "--unknown-tokens", "reject") { mock in
            let there = ["--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem", "--no-alpn"]
            let found = try await mock.workspace.doctor(there)
            found.expect("alpn", "note", exit: 0, fact: "without negotiation")
            found.expect("ok", of: "settings", "ping")
        }
    }

    @Test func `no answer to a PING`() async throws {
        let fault = #"{"at":"connection_established","steps":[{"withhold":["PING"]}]}"#
        try await RunningMock.with("--fault", fault, "--unknown-tokens", "reject") { mock in
            let found = try await mock.doctor {
                $0.hop("settings")?["verdict"] == "ok" && $0.hop("credentials")?["verdict"] == "ok"
            }
            found.expect("ping", "warning", exit: 1, fact: "didn't answer a PING")
            found.expect("ok", of: "settings", "credentials")
        }
    }

    @Test func `GOAWAY at once`() async throws {
        let fault = """
            {"at":"connection_established",
             "steps":[{"go_away":{"text":"{\\"reason\\":\\"Shutdown\\"}"}},{"close_connection":"tls_closed"}]}
            """
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor()
            #expect(found.status == 69, "\(found.json)")
            #expect(["settings", "ping"].contains(found.json["first"]?.string))
            #expect(found.json["conclusion"]?.string?.contains("Try again later") == true)
            found.expect("skipped", of: "credentials")
        }
    }

    // MARK: Offline, addresses, proxies

    @Test func `--offline checks only this machine`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let found = try await workspace.doctor(["--offline", "--key", key, "--team-id", Workspace.teamID])
        #expect(found.status == 0)
        #expect(
            found.hops.compactMap { $0["hop"]?.string } == ["libraries", "legacy_provider", "trust_store", "key"])
        let empty = try await workspace.doctor(
            ["--offline"], environment: ["SSL_CERT_FILE": "/nowhere/ca.pem", "SSL_CERT_DIR": "/nowhere"])
        empty.expect("trust_store", "failed", exit: 69, fact: "/nowhere", remedy: "ca-certificates")
        let refused = try await workspace.pushsend("doctor", "--offline", "--all-addresses")
        expectRefusal(refused, 64, "--offline", "--all-addresses")
    }

    @Test func `--all-addresses tries each, and one that fails is a warning while another works`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject") { mock in
            // The mock listens on 127.0.0.1 only.
            let found = try await mock.doctor("--all-addresses")
            let tcp = found.hops.filter { $0["hop"] == "tcp" }
            #expect(tcp.map { $0["address"]?.string } == ["127.0.0.1", "::1"])
            #expect(tcp.first?["verdict"]?.string == "ok")
            let other = tcp.last?["verdict"]?.string
            #expect(other == "warning" || other == "note")
            #expect(found.status == (other == "warning" ? 1 : 0))
            found.expect("ok", of: "credentials")
        }
    }

    @Test func `a proxy that refuses the tunnel`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with("--unknown-tokens", "reject", in: workspace) { mock in
            try await PythonProxy.with("--user", "me:secret", in: workspace) { proxy in
                let refused = try await mock.doctor("--proxy", "http://localhost:\(proxy.port)")
                refused.expect("proxy", "failed", exit: 69, fact: "407", remedy: "CONNECT")
                refused.expect("ok", of: "name", "tcp")
                refused.expect("skipped", of: "tls", "credentials")
                let allowed = try await mock.doctor("--proxy", "http://me:secret@localhost:\(proxy.port)")
                allowed.expect("proxy", "ok", exit: 0, fact: "opened the tunnel")
                #expect(!"\(allowed.json)".contains("secret"))
            }
            try await StrangeServer.with { closed in
                let port = try await closed.closedPort()
                try await PythonProxy.with("--to", "127.0.0.1:\(port)", in: workspace) { proxy in
                    let bad = try await mock.doctor("--proxy", "http://localhost:\(proxy.port)")
                    bad.expect("proxy", "failed", exit: 69, fact: "502")
                }
            }
        }
    }

    @Test(.enabled(if: PrivateNetwork.isPossible)) func `a machine without a network`() async throws {
        let workspace = try Workspace()
        let script = "'\(BuiltProgram.pushsend.path())' doctor --json --timeout 5s"
        let found = Diagnosed(try await workspace.run(PrivateNetwork.command(script)))
        found.expect("name", "failed", exit: 69, fact: "api.sandbox.push.apple.com", remedy: "--proxy")
        found.expect("skipped", of: "tcp", "tls", "settings", "ping")
    }

    /// A mock behind Apple's name is to a machine that does not trust it what a captive portal is.
    @Test(.enabled(if: PrivateNetwork.isPossible)) func `a captive portal in Apple's place`() async throws {
        let found = try await doctorBesideFalseApple(trustingIt: false)
        found.expect(
            "tls", "failed", exit: 69, fact: "APNs mock authority", "isn't trusted", remedy: "captive portal",
            "intercepts TLS",
            "api.sandbox.push.apple.com")
        found.expect("skipped", of: "alpn", "settings", "ping", "credentials")
    }

    /// To a machine that trusts its authority, it is a proxy that intercepts TLS.
    @Test(.enabled(if: PrivateNetwork.isPossible)) func `a proxy that intercepts TLS to Apple is named`() async throws {
        let found = try await doctorBesideFalseApple(trustingIt: true)
        found.expect("warning", of: "tls", "trust_store")
        #expect(found.status == 1, "\(found.json)")
        #expect(found.hop("tls")?["fact"]?.string?.contains("issued by APNs mock authority") == true)
        let ports = found.hops.filter { $0["hop"] == "tcp" }
        #expect(ports.map { $0["port"]?.integer } == [443, 2197])
        #expect(ports.map { $0["verdict"]?.string } == ["ok", "note"])
        found.expect("ok", of: "credentials")
    }

    /// Runs doctor where a mock has the name and the port of Apple's sandbox.
    private func doctorBesideFalseApple(trustingIt: Bool) async throws -> Diagnosed {
        let workspace = try Workspace()
        try workspace.write("127.0.0.1 localhost api.sandbox.push.apple.com\n", to: "hosts", mode: 0o644)
        let pushsend = BuiltProgram.pushsend.path()
        let trust = trustingIt ? "export SSL_CERT_FILE=mock/ca.pem SSL_CERT_DIR=/nowhere" : ":"
        let script = """
            : > mock.jsonl
            '\(pushsend)' mock --port 443 --json --state mock --unknown-tokens reject >> mock.jsonl & mock=$!
            until grep -q ready mock.jsonl; do sleep 0.05; done
            \(trust)
            '\(pushsend)' doctor --json -e sandbox --topic com.example.app --key mock/AuthKey_MOCKKEY123.p8 \
            --team-id MOCKTEAM12; code=$?
            kill $mock; wait $mock; exit $code
            """
        return Diagnosed(try await workspace.run(PrivateNetwork.command(script)))
    }
}
