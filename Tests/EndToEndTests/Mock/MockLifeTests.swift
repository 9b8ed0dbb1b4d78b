import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct MockLifeTests {
    @Test func `the ready line says how to reach the mock and where its files are`() async throws {
        try await RunningMock.with { mock in
            #expect(
                mock.ready.keys == [
                    "event", "endpoint", "host", "port", "environment", "ca_file", "key_file", "state", "key_id",
                    "team_id", "sandbox_channels_port", "production_channels_port", "console_url",
                ])
            #expect(mock.ready["event"] == "ready")
            #expect(mock.ready["host"] == "localhost")
            #expect(mock.ready["endpoint"]?.string == "localhost:\(mock.port)")
            #expect(mock.ready["environment"] == "sandbox")
            #expect(mock.ready["state"]?.string == mock.workspace.path("mock"))
            #expect(mock.ready["ca_file"]?.string == mock.workspace.path("mock/ca.pem"))
            #expect(mock.ready["key_file"]?.string == mock.workspace.path("mock/AuthKey_MOCKKEY123.p8"))
            #expect(mock.ready["key_id"] == "MOCKKEY123")
            #expect(mock.ready["team_id"] == "MOCKTEAM12")
        }
    }

    @Test func `the state folder and the keys in it are closed to others`() async throws {
        try await RunningMock.with { mock in
            let folderMode = try mock.workspace.mode(of: "mock")
            #expect(folderMode == 0o700)
            let keys = ["mock/AuthKey_MOCKKEY123.p8", "mock/ca-key.pem", "mock/server-key.pem"]
            let keyModes = try keys.map(mock.workspace.mode)
            #expect(keyModes == [0o600, 0o600, 0o600])
        }
    }

    @Test func `a second start with the same folder keeps the CA and the key`() async throws {
        let workspace = try Workspace()
        let files = ["mock/ca.pem", "mock/AuthKey_MOCKKEY123.p8"]
        try await RunningMock.with(in: workspace) { _ in }
        let first = try files.map(workspace.read)
        try await RunningMock.with(in: workspace) { mock in
            let second = try files.map(workspace.read)
            #expect(second == first)
            #expect(try await mock.send("-m", "Hello").status == 0)
        }
    }

    @Test func `without --state the folder is in the user's own state home`() async throws {
        let workspace = try Workspace()
        let program = try workspace.startPushsend(["mock", "--json", "--port", "0"])
        let ready = JSON(parsing: try #require(await program.output.line(0)))
        #expect(ready["state"]?.string == workspace.path("home/state/pushsend/mock"))
        let sent = try await workspace.pushsend(
            "send", RunningMock.token, "--mock", "--topic", "com.example.app", "-m", "x")
        #expect(sent.status == 0)
        program.interrupt()
        #expect(await program.end().status == 0)
    }

    @Test func `a port that is taken is named, with the way out`() async throws {
        try await RunningMock.with { mock in
            let second = try await mock.workspace.pushsend(
                "mock", "--port", "\(mock.port)", "--state", "second")
            expectRefusal(second, 69, "127.0.0.1:\(mock.port)", "Choose another port, or 0", "--port")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends it in order and takes the note of where it listens away`(signal: Int32) async throws {
        let workspace = try Workspace()
        let program = try workspace.startPushsend(["mock", "--port", "0", "--state", "mock"])
        _ = try #require(await program.output.line(0))
        #expect(workspace.exists("mock/running.json"))
        if signal == SIGINT { program.interrupt() } else { program.terminate() }
        let ended = await program.end()
        #expect(ended.status == 0)
        #expect(ended.errors == "0 requests on 0 connections. Stopped.\n")
        #expect(!workspace.exists("mock/running.json"))
    }

    @Test(arguments: [[], ["--json"]])
    func `a reader that goes away ends it quietly`(flags: [String]) async throws {
        let workspace = try Workspace()
        let mock = try workspace.startPushsend(["mock", "--port", "0", "--state", "mock"] + flags, linesRead: 1)
        _ = try #require(await mock.output.line(0))
        let sent = try await workspace.pushsend(
            "send", RunningMock.token, "--mock", "--state", "mock", "--topic", "com.example.app", "-m", "Hello")
        #expect(sent.status == 0)
        let ended = await mock.end()
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(!workspace.exists("mock/running.json"))
    }

    @Test func `a mock without any reader ends quietly and leaves no note`() async throws {
        let workspace = try Workspace()
        let ended = try await workspace.startPushsend(
            ["mock", "--port", "0", "--state", "mock"], linesRead: 0
        ).end()
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(!workspace.exists("mock/running.json"))
    }

    @Test func `a quiet mock says that it is ready and nothing of requests`() async throws {
        let requests = try await RunningMock.with("--quiet") { mock async throws in
            #expect(try await mock.send("-m", "Hello").status == 0)
        }
        #expect(requests.isEmpty)
    }

    @Test func `sending to a mock that does not run says how to start one`() async throws {
        let ended = try await Workspace().pushsend(
            "send", RunningMock.token, "--mock", "--state", "nowhere", "--topic", "com.example.app", "-m", "Hello")
        expectRefusal(
            ended, 69, "No mock is running with the state folder \"nowhere\"", "pushsend mock --state nowhere")
    }

    @Test func `a second mock on a state folder is refused, and the first goes on`() async throws {
        try await RunningMock.with { mock in
            let second = try await mock.workspace.pushsend("mock", "--port", "0", "--state", "mock")
            expectRefusal(second, 75, "Another mock uses the state folder mock", "localhost:\(mock.port)", "--state")
            let certificate = try mock.workspace.read("mock/server.pem")
            let named = try await mock.workspace.pushsend(
                "mock", "--port", "0", "--state", "mock", "--name", "other.example")
            #expect(named.status == 75)
            #expect(try mock.workspace.read("mock/server.pem") == certificate)
            #expect(mock.workspace.exists("mock/running.json"))
            let ready = try await mock.workspace.pushsend("mock", "ready", "--state", "mock")
            #expect(ready.status == 0, "\(ready.errors)")
        }
    }

    @Test func `after kill -9 the next mock takes the folder over`() async throws {
        let workspace = try Workspace()
        let program = try workspace.startPushsend(["mock", "--port", "0", "--state", "mock"])
        _ = try #require(await program.output.line(0))
        let killed = try #require(JSON(parsing: workspace.read("mock/running.json"))["processID"]?.integer)
        kill(pid_t(killed), SIGKILL)
        _ = await program.end()
        #expect(workspace.exists("mock/running.json"))
        try await RunningMock.with(in: workspace) { mock async throws in
            #expect(try await mock.send("-m", "Hello").status == 0)
        }
        #expect(!workspace.exists("mock/running.json"))
    }

    @Test func `a stranger on the port of a mock that was killed is not ready`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in try await workspace.prepare("cp mock/running.json note.json") }
        func expectStranger(on port: Int) async throws {
            try await workspace.prepare(
                #"sed 's|"port":[0-9]*|"port":\#(port)|' note.json > mock/running.json"#)
            let ended = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "100ms")
            expectRefusal(ended, 69, "localhost:\(port)", "no longer running", "killed")
        }
        // A mock of another authority, and a server without TLS.
        try await RunningMock.with(["--state", "stranger"], in: workspace) { try await expectStranger(on: $0.port) }
        try await StrangeServer.with(saying: "220 smtp\r\n") { try await expectStranger(on: $0.port) }
    }

    @Test func `another program on the port of the API is not the mock of the note`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(["--console-port", "0"], in: workspace) { mock in
            let note = try workspace.read("mock/running.json")
            let instance = try #require(JSON(parsing: note)["instance"]?.string)
            try workspace.write(note.replacing(instance, with: "another-run"), to: "mock/running.json")
            var ended = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "100ms")
            // On a busy machine the API can be too slow for an answer.
            for _ in 1...30 where ended.status == 0 {
                ended = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "100ms")
            }
            expectRefusal(ended, 69, "isn't the mock of the state folder")
            try workspace.write(note, to: "mock/running.json")
            let ready = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "0s")
            #expect(ready.status == 0, "\(ready.errors)")
        }
    }

    @Test func `an unknown push type is sent with a warning, and accepted by a mock that was told`() async throws {
        try await RunningMock.with("--set", "push_types=hologram") { mock async throws in
            let sent = try await mock.send("-m", "Hello", "--push-type", "hologram")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(
                sent.errors.contains("warning: apns-push-type: Unknown push type \"hologram\". It is sent as it is."))
            let campaign = try await mock.workspace.pushsend(
                [
                    "batch", "-", "--mock", "--state", "mock", "--topic", RunningMock.topic, "-m", "Hello",
                    "--push-type",
                    "hologram",
                ], input: RunningMock.token + "\n")
            #expect(campaign.status == 0, "\(campaign.errors)")
            #expect(campaign.errors.contains("Unknown push type \"hologram\". It is sent as it is."))
            let refused = try await mock.send("-m", "Hello", "--push-type", "acessory")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Did you mean accessory?"), "\(refused.errors)")
        }
    }

    @Test func `a setting of the command line is in force, and a mistake in one is named`() async throws {
        try await RunningMock.with(
            "--set", "idle_time=30s", "--set", "past_expiration_reason=BadExpirationDate", "--set",
            "unknown_tokens=reject"
        ) { mock async throws in
            #expect(try await mock.send("-m", "Hello").status == 1)
        }
        let workspace = try Workspace()
        for (setting, message) in [
            ("idle_time", "NAME=VALUE"), ("idle_tim=30s", "idle_time"), ("idle_time=soon", "duration"),
            ("errors_before_goaway=0", "from 1"), ("falls_to_one_stream=maybe", "must be a boolean"),
        ] {
            let refused = try await workspace.pushsend("mock", "--set", setting, "--port", "0", "--state", "mock")
            #expect(refused.status == 64, "\(setting): \(refused.errors)")
            #expect(refused.errors.contains(message), "\(setting): \(refused.errors)")
        }
    }

    @Test(arguments: [
        #"{"at":"connection_accepted","steps":[{"tls":{"certificate":"expired"}}]}"#,
        #"{"at":"connection_accepted","steps":[{"wait_ms":3000}]}"#,
        #"{"at":"connection_accepted","steps":["no_answer"]}"#,
    ])
    func `the check for readiness succeeds with every fault, and is not logged`(fault: String) async throws {
        try await RunningMock.with("--fault", fault) { mock in
            let ready = try await mock.workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "0s")
            #expect(ready.status == 0, "\(ready.errors)")
            #expect(ready.output == "The mock is ready on localhost:\(mock.port).\n")
            #expect(mock.program.errors.text == "")
        }
    }

    @Test func `a mock with a certificate for another host is ready`() async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        try await workspace.prepare(
            """
            cd '\(workspace.path("certs"))' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
                -subj /CN=elsewhere.invalid -keyout server.key -out server.pem
            """)
        try await RunningMock.with("--certs", "certs", in: workspace) { mock in
            let ready = try await workspace.pushsend("mock", "ready", "--state", "mock", "--timeout", "0s")
            #expect(ready.status == 0, "\(ready.errors)")
        }
    }

    @Test func `ready uses up no fault, and is no connection`() async throws {
        let fault = #"""
            {"at":"connection_established","when":{"connection":1},"steps":[{"close_connection":"tls_closed"}],"times":1}
            """#
        try await RunningMock.with("--fault", fault) { mock in
            let ready = try await mock.workspace.pushsend("mock", "ready", "--state", "mock")
            #expect(ready.status == 0, "\(ready.errors)")
            #expect(try await mock.curl().status == 0)
            #expect(try await mock.curl().status == 200)
        }
    }

    @Test func `a mock that cannot listen leaves no note of the one before it`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in try await workspace.prepare("cp mock/running.json note.json") }
        try await workspace.prepare("cp note.json mock/running.json")
        try await RunningMock.with(["--state", "other"], in: workspace) { other in
            let second = try await workspace.pushsend("mock", "--port", "\(other.port)", "--state", "mock")
            expectRefusal(second, 69, "127.0.0.1:\(other.port)")
        }
        #expect(!workspace.exists("mock/running.json"))
    }

    @Test func `a state folder that cannot be is refused`() async throws {
        let workspace = try Workspace()
        try workspace.write("", to: "file")
        for folder in ["", "file"] {
            let ended = try await workspace.pushsend("mock", "--port", "0", "--state", folder)
            expectRefusal(ended, 73, "The state folder", "can't be written", "--state")
        }
    }

    @Test func `sending to a mock that was killed says how to start one`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            try await workspace.prepare("cp mock/running.json note.json")
        }
        // A port that nobody else can have taken.
        let port = try HeldPort()
        defer { port.letGo() }
        try await workspace.prepare(
            #"sed 's|"port":[0-9]*|"port":\#(port.number)|' note.json > mock/running.json"#)
        let ended = try await workspace.pushsend(
            "send", RunningMock.token, "--mock", "--state", "mock", "--topic", "com.example.app", "-m", "Hello")
        #expect(ended.status == 69)
        #expect(ended.errors.contains("localhost:\(port.number) is no longer running"), "\(ended.errors)")
        #expect(ended.errors.contains("\"pushsend mock\""))
    }
}
