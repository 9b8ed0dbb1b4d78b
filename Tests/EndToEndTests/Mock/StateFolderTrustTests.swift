import Foundation
import TestSupport
import Testing

/// Whom `--mock` believes: a folder can come with a cloned repository, or be open to other users.
@Suite(.takingTurns) struct StateFolderTrustTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func send(to folder: String) async throws -> Ended {
        try await workspace.pushsend(
            "send", RunningMock.token, "--mock", "--state", folder, "--topic", "com.example.app", "-m", "Hello")
    }

    /// A folder that names the host, the CA and the key of somebody else, as a repository could have it.
    private func stranger(_ mock: RunningMock, key: String) async throws {
        try await workspace.prepare("mkdir -m 700 theirs; cp mock/ca.pem theirs/; touch theirs/.running.lock")
        try workspace.write(
            """
            {"host":"localhost","port":\(mock.port),"environment":"sandbox","processID":1,"authorityFile":"\(mock.caFile)",\
            "keyFile":"\(key)","keyID":"ABC123DEFG","teamID":"DEF123GHIJ","channelsPort":\(mock.port),\
            "consoleHost":"127.0.0.1","consolePort":\(mock.port)}
            """, to: "theirs/running.json")
    }

    @Test func `a folder without a running mock signs nothing, whatever its note says`() async throws {
        let key = workspace.path(try await workspace.makeKey())
        let requests = try await RunningMock.with(in: workspace) { mock in
            try await stranger(mock, key: key)
            let send = ["send", RunningMock.token, "--topic", "com.example.app", "-m", "Hello", "--mock"]
            let commands: [[String]] = [
                send, send + ["--as-curl"], ["jwt", "--mock"], ["doctor", "--mock"],
                ["channel", "list", "--topic", "com.example.app", "--mock"], ["mock", "list"],
            ]
            for command in commands {
                let ended = try await workspace.pushsend(command + ["--state", "theirs"])
                #expect(ended.status == 69, "\(command): \(ended.output)\(ended.errors)")
                #expect(ended.errors.contains("is no longer running"), "\(command): \(ended.errors)")
                #expect(!ended.output.contains("eyJ"), "\(command)")
            }
            let byVariable = try await workspace.pushsend(["jwt", "--mock"], environment: ["PUSHSEND_STATE": "theirs"])
            #expect(byVariable.status == 69 && byVariable.output.isEmpty)
        }
        #expect(requests.isEmpty)
    }

    @Test func `the note of a killed mock is not believed while the next one starts`() async throws {
        let key = workspace.path(try await workspace.makeKey())
        try workspace.write(
            """
            import fcntl, subprocess, sys
            lock = open("theirs/.running.lock", "r+")
            fcntl.lockf(lock, fcntl.LOCK_EX, int(sys.argv[1]), 0)
            sys.exit(subprocess.run(sys.argv[2:]).returncode)
            """, to: "locked.py")
        try await RunningMock.with(in: workspace) { mock in
            try await stranger(mock, key: key)
            let program = BuiltProgram.pushsend.path(percentEncoded: false)
            // Only the first byte: a mock that has not removed the note yet. All bytes: one that has its own note there.
            for (length, isStarting) in [(1, true), (0, false)] {
                let ended = try await workspace.shell(
                    "python3 locked.py \(length) '\(program)' jwt --mock --state theirs")
                #expect(ended.status != 0)
                #expect(ended.errors.contains("is no longer running") == isStarting, "\(ended.errors)")
            }
        }
    }

    @Test func `the key and the CA of a note are files of its folder, wherever it points`() async throws {
        let key = workspace.path(try await workspace.makeKey())
        let requests = try await RunningMock.with(in: workspace) { mock in
            let note = try workspace.read("mock/running.json")
            let own = try #require(JSON(parsing: note)["keyFile"]?.string)
            try workspace.write(
                note.replacing(own.replacing("/", with: "\\/"), with: key).replacing(own, with: key),
                to: "mock/running.json")
            #expect(try workspace.read("mock/running.json").contains(key))
            let ended = try await send(to: "mock")
            #expect(ended.status != 0 && ended.errors.contains("mock/AuthKey_ABC123DEFG.p8"), "\(ended.errors)")
            // A link out of the folder is no file of it.
            try await workspace.prepare("ln -s '\(key)' mock/AuthKey_ABC123DEFG.p8")
            let linked = try await send(to: "mock")
            #expect(linked.status == 77 && linked.errors.contains("can't be trusted"), "\(linked.errors)")
            try await workspace.prepare("rm mock/AuthKey_ABC123DEFG.p8")
            try workspace.write(note, to: "mock/running.json")
            #expect(try await send(to: "mock").status == 0)
        }
        #expect(requests.count == 1)
    }

    @Test func `a folder, note or lock that others can change is refused by commands`() async throws {
        try await RunningMock.with(in: workspace) { _ in
            for (file, mode, usual) in [
                (".", "777", "700"), ("running.json", "666", "600"), ("running.json", "620", "600"),
                ("ca.pem", "646", "644"), ("AuthKey_MOCKKEY123.p8", "602", "600"),
            ] {
                try await workspace.prepare("chmod \(mode) mock/\(file)")
                let ended = try await send(to: "mock")
                expectRefusal(ended, 77, "can't be trusted", "other users can change it", "--state")
                try await workspace.prepare("chmod \(usual) mock/\(file)")
            }
            try await workspace.prepare("chmod 666 mock/.running.lock")
            #expect(try await send(to: "mock").status == 69)
            try await workspace.prepare("chmod 600 mock/.running.lock")
            #expect(try await send(to: "mock").status == 0)
        }
    }

    @Test func `a mock does not start in a folder that others can change, or with keys that they can`() async throws {
        try await RunningMock.with(in: workspace) { _ in }
        func refused(_ words: String...) async throws {
            let ended = try await workspace.pushsend("mock", "--port", "0", "--state", "mock")
            #expect(ended.status == 77, "\(ended.status) \(ended.errors)")
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        try await workspace.prepare("chmod 777 mock")
        try await refused("\"mock\"", "other users can change it (its mode is 0777)", "--state")
        try await workspace.prepare("chmod 700 mock")
        for file in ["ca.pem", "ca-key.pem", "AuthKey_MOCKKEY123.p8", "server-key.pem"] {
            let mode = try #require(try workspace.mode(of: "mock/\(file)"))
            try await workspace.prepare("chmod o+w mock/\(file)")
            try await refused("mock/\(file)", "other users can change it")
            try await workspace.prepare("chmod \(String(mode, radix: 8)) mock/\(file)")
            try await workspace.prepare("mv mock/\(file) real; ln -s ../real mock/\(file)")
            try await refused("mock/\(file)", "it is a link")
            try await workspace.prepare("mv real mock/\(file)")
        }
        try await RunningMock.with(in: workspace) { mock async throws in
            #expect(try await mock.send("-m", "Hello").status == 0)
        }
    }

    /// As in the image of the Dockerfile, whose folder any user of `docker run --user` may write to.
    @Test func `a folder with the sticky bit is taken, and in it no file of somebody else`() async throws {
        try await workspace.prepare("mkdir mock; chmod 1777 mock")
        try await RunningMock.with(in: workspace) { mock in
            #expect(try await mock.send("-m", "Hello").status == 0)
            let ready = try await workspace.pushsend("mock", "ready", "--state", "mock")
            #expect(ready.status == 0, "\(ready.errors)")
        }
        guard geteuid() == 0 else { return }
        for file in ["ca.pem", ".running.lock"] {
            try await workspace.prepare("chown 12345 mock/\(file)")
            let ended = try await workspace.pushsend("mock", "--port", "0", "--state", "mock")
            #expect(ended.status == 77 && ended.errors.contains("belongs to the user 12345"), "\(ended.errors)")
            try await workspace.prepare("chown 0 mock/\(file)")
        }
        try await workspace.prepare("chown 12345 mock")
        let ended = try await workspace.pushsend("mock", "--port", "0", "--state", "mock")
        #expect(ended.status == 77 && ended.errors.contains("belongs to the user 12345"), "\(ended.errors)")
    }

    @Test func `a mock with certificates of its user is found, and takes its copies away`() async throws {
        try await workspace.makeCertificates()
        let requests = try await RunningMock.with("--certs", "certs", in: workspace) { mock in
            #expect(try workspace.mode(of: "mock/certs-key.p8") == 0o600)
            let ended = try await send(to: "mock")
            #expect(ended.status == 0, "\(ended.errors)")
        }
        #expect(requests.count == 1)
        #expect(!workspace.exists("mock/certs-key.p8") && !workspace.exists("mock/certs-ca.pem"))
    }

    /// The reader takes nothing until all requests have come, and the log keeps ten.
    @Test func `lines that a slow reader has missed are counted in the output`() async throws {
        let count = 2000
        try workspace.write(
            (1...count).map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
        let script = """
            P='\(BuiltProgram.pushsend.path(percentEncoded: false))'
            mkfifo out
            "$P" mock --json --port 0 --state mock --log-count 10 --limit none > out &
            exec 3< out
            read -r ready <&3
            "$P" batch tokens --mock --state mock --topic com.example.app -m Hello --out campaign > /dev/null 2>&1
            "$P" mock stop --state mock &
            cat <&3
            wait
            """
        let lines = try await workspace.shell(script).outputLines.map { JSON(parsing: $0) }
        let printed = lines.count { $0["event"] == "request" }
        let gaps = lines.filter { $0["event"] == "gap" }
        let missed = gaps.compactMap { $0["missed"]?.integer }.reduce(0, +)
        #expect(printed + missed == count && missed > 0 && printed > 10, "\(printed) \(missed)")
        for gap in gaps {
            let (first, last) = (try #require(gap["first"]?.integer), try #require(gap["last"]?.integer))
            #expect(last - first + 1 == gap["missed"]?.integer)
        }
        #expect(lines.last?["event"] == "request", "the newest request is always in the log")
    }
}
