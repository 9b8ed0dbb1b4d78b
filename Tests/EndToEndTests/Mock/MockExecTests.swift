import Foundation
import TestSupport
import Testing

/// `pushsend mock exec`, and the commands that talk to a running mock.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct MockExecTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func exec(_ flags: [String] = [], _ script: String) async throws -> Ended {
        try await workspace.run(
            [BuiltProgram.pushsend.path(), "mock", "exec"] + flags
                + ["--", "sh", "-c", "P='\(BuiltProgram.pushsend.path())'; \(script)"])
    }

    private static let send = "$P send 5f3ad1c07b9e4286 --mock --topic com.example.app -t Hello -m World"

    @Test func `the command finds the mock by its variables, and standard output is its own`() async throws {
        let ended = try await exec(
            [],
            """
            curl -sS --fail --cacert "$APNS_CA" -H "authorization: bearer $($P jwt --mock)" -H "apns-topic: $APNS_TOPIC" \
            -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hi"}}' "$APNS_URL/3/device/0f0f" -w '%{http_code}\\n' &&
            curl -sS --fail "$MOCK_URL/v1/pushes/count"
            """)
        #expect(ended.output == "200\n{\"count\":1}")
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// Java's HttpClient makes this offer with each request. NIO's decoder reads nothing after it.
    @Test func `a client that offers to upgrade the connection gets an answer to each request`() async throws {
        let count = "\"$MOCK_URL/v1/pushes/count\""
        let ended = try await exec([], "curl -sS --max-time 250 --http2 \(count) \(count)")
        #expect(ended.output == "{\"count\":0}{\"count\":0}", "\(ended.errors)")
    }

    @Test func `the exit code is that of the command`() async throws {
        #expect(try await exec([], "exit 7").status == 7)
        #expect(try await exec([], "kill -TERM $$").status == 143)
        let missing = try await workspace.run([BuiltProgram.pushsend.path(), "mock", "exec", "--", "/no/such/command"])
        #expect(missing.status == 127 && missing.errors.contains("can't be run"))
        let folder = try await workspace.run([BuiltProgram.pushsend.path(), "mock", "exec", "--", "/"])
        #expect(folder.status == 126)
        let nothing = try await workspace.run([BuiltProgram.pushsend.path(), "mock", "exec"])
        #expect(nothing.status == 64 && nothing.errors.contains("mock exec -- COMMAND"))
    }

    @Test func `the temporary state is gone afterwards`() async throws {
        let ended = try await exec([], "printf %s \"$PUSHSEND_STATE\"")
        #expect(ended.output.contains("pushsend-mock-"))
        #expect(!FileManager.default.fileExists(atPath: ended.output))
    }

    @Test func `a broken rule fails the run, and is in the files for CI`() async throws {
        let flags = ["--fail-on", "violations", "--dump", "dump.jsonl", "--junit", "junit.xml"]
        let good = try await exec(flags, Self.send)
        #expect(good.status == 0, "\(good.errors)")
        let bad = try await exec(
            flags,
            "curl -s --cacert $APNS_CA -H 'authorization: bearer x' -d '{}' $APNS_URL/3/device/0f0f; \(Self.send); true"
        )
        #expect(bad.status == 1)
        #expect(bad.errors.contains("provider-token-form"))
        let junit = try workspace.read("junit.xml")
        #expect(junit.contains("name=\"rule provider-token-form\"") && junit.contains("failures=\"1\""))
        let dump = try workspace.read("dump.jsonl").split(separator: "\n")
        #expect(dump.count == 2)
        #expect(!dump.joined().contains("eyJ"))
    }

    @Test func `an unexpected request fails the run`() async throws {
        let expected = try await exec(["--fail-on", "unmatched"], "\(Self.send) && $P mock wait title:Hello")
        #expect(expected.status == 0, "\(expected.errors)")
        let unexpected = try await exec(["--fail-on", "unmatched"], Self.send)
        #expect(unexpected.status == 1)
        #expect(unexpected.errors.contains("1 request arrived that no wait or assert matched."))
    }

    @Test func `a signal is passed on to the command`() async throws {
        let ended = try await exec(
            [],
            "trap 'echo got it; exit 3' TERM; kill -TERM $PPID; i=0; while [ $i -lt 1200 ]; do sleep 0.1; i=$((i+1)); done"
        )
        #expect(ended.output == "got it\n")
        #expect(ended.status == 3)
    }

    @Test func `a reset and a namespace hide no broken rule and no request`() async throws {
        let bad = "curl -s --cacert $APNS_CA -H 'authorization: bearer x' -d '{}'"
        let reset = "curl -s -o /dev/null --json '{}' $MOCK_URL/v1/reset"
        let afterReset = try await exec(
            ["--fail-on", "violations", "--junit", "junit.xml"], "\(bad) $APNS_URL/3/device/0f0f; \(reset)")
        #expect(afterReset.status == 1 && afterReset.errors.contains("provider-token-form"), "\(afterReset.errors)")
        #expect(try workspace.read("junit.xml").contains("rule provider-token-form"))
        let unmatched = try await exec(["--fail-on", "unmatched"], "\(Self.send); \(reset)")
        #expect(unmatched.status == 1 && unmatched.errors.contains("1 request arrived"), "\(unmatched.errors)")
        let inNamespace = try await exec(
            ["--fail-on", "violations"],
            """
            port=$(curl -s --json '{"name": "a"}' $MOCK_URL/v1/namespaces | grep -o '"port":[0-9]*' | head -n 1 | cut -d : -f 2)
            \(bad) https://localhost:$port/3/device/0f0f
            """)
        #expect(inNamespace.status == 1 && inNamespace.errors.contains("provider-token-form"), "\(inNamespace.errors)")
    }

    /// Makes a namespace, and sets `port` to its port.
    private static func makeNamespace(_ name: String) -> String {
        """
        port=$(curl -s --json '{"name": "\(name)"}' $MOCK_URL/v1/namespaces | grep -o '"port":[0-9]*' | head -n 1 | cut -d : -f 2)
        """
    }

    /// A push to a namespace. The rest of the mock is found by the variables.
    private static let pushToNamespace = """
        curl -s --cacert $APNS_CA -H "authorization: bearer $($P jwt --mock)" -H "apns-topic: $APNS_TOPIC" \
        -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hi"}}' https://localhost:$port/3/device/0f0f
        """

    @Test func `the dump has the requests of all namespaces, also of deleted ones and of those before a reset`()
        async throws
    {
        let ended = try await exec(
            ["--dump", "dump.jsonl"],
            """
            \(Self.send) > sent
            \(Self.makeNamespace("team-a")); \(Self.pushToNamespace); \(Self.pushToNamespace)
            curl -s -X DELETE $MOCK_URL/v1/namespaces/team-a
            \(Self.makeNamespace("team-b")); \(Self.pushToNamespace)
            curl -s --json '{}' $MOCK_URL/v1/namespaces/team-b/reset; curl -s --json '{}' $MOCK_URL/v1/reset
            \(Self.send) > sent
            """)
        #expect(ended.status == 0 && ended.output.isEmpty, "\(ended.output)\(ended.errors)")
        let dump = try workspace.read("dump.jsonl").split(separator: "\n").map { JSON(parsing: String($0)) }
        #expect(dump.map { $0["namespace"]?.string } == [nil, "team-a", "team-a", "team-b", nil])
        #expect(dump.map { $0["number"]?.integer } == [1, 1, 2, 1, 2])
        #expect(dump.allSatisfy { $0["fact_id"] == "accepted" && $0["confidence"] == "2+" })
    }

    @Test func `a deleted namespace hides no broken rule, no request and no expectation`() async throws {
        let ended = try await exec(
            ["--fail-on", "violations", "--fail-on", "unmatched", "--junit", "junit.xml"],
            """
            \(Self.makeNamespace("team-a")); \(Self.pushToNamespace)
            curl -s -o /dev/null --cacert $APNS_CA -H 'authorization: bearer x' -d '{}' https://localhost:$port/3/device/0f0f
            $P mock assert title:Nobody --namespace team-a 2> /dev/null
            curl -s -X DELETE $MOCK_URL/v1/namespaces/team-a; true
            """)
        #expect(ended.status == 1 && ended.errors.contains("provider-token-form"), "\(ended.errors)")
        #expect(ended.errors.contains("2 requests arrived that no wait or assert matched."))
        #expect(ended.errorLines.contains { $0.hasSuffix("in namespace team-a") })
        let junit = try workspace.read("junit.xml")
        #expect(
            junit.contains("rule provider-token-form") && junit.contains("title:Nobody  in namespace team-a"),
            "\(junit)")
    }

    @Test func `broken rules are in the JUnit file only if they fail the run`() async throws {
        let script = "curl -s --cacert $APNS_CA -H 'authorization: bearer x' -d '{}' $APNS_URL/3/device/0f0f"
        let ended = try await exec(["--junit", "junit.xml"], script)
        #expect(ended.status == 0)
        #expect(try workspace.read("junit.xml").contains("failures=\"0\""))
    }

    @Test func `one provider token on many connections and two pushes to a magic token break no rule`() async throws {
        let push = """
            curl -s -o /dev/null --cacert $APNS_CA -H "authorization: bearer $token" -H "apns-topic: $APNS_TOPIC" \
            -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hi"}}'
            """
        let gone = "990410".padding(toLength: 64, withPad: "0", startingAt: 0)
        let ended = try await exec(
            ["--fail-on", "violations"],
            """
            token=$($P jwt --mock)
            for i in 1 2 3 4 5 6 7 8 9 10 11 12; do \(push) "$APNS_URL/3/device/0f0f" "$APNS_URL/3/device/0a0a"; done
            \(push) "$APNS_URL/3/device/\(gone)" "$APNS_URL/3/device/\(gone)"
            """)
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// Otherwise a program that the command leaves behind would keep the mock's ports.
    @Test func `the command inherits no socket of the mock`() async throws {
        let ended = try await exec(
            [], "ls -l /proc/$$/fd | grep -c -e 'socket:' -e 'eventpoll'; ls -l /proc/$$/fd | grep -c pipe:")
        #expect(ended.outputLines.first == "0", "\(ended.output) \(ended.errors)")
        #expect((ended.outputLines.last.flatMap { Int($0) } ?? 0) > 0, "/proc shows no files: \(ended.output)")
    }

    @Test func `a port that is given is used`() async throws {
        let ended = try await exec([], "$P mock exec --port $APNS_PORT -- true; echo $?")
        #expect(ended.output == "69\n" && ended.errors.contains("Use --port."), "\(ended.errors)")
    }

    @Test func `requests that the log has dropped still count as unmatched`() async throws {
        let ended = try await exec(
            ["--fail-on", "unmatched", "--log-count", "1"],
            "\(Self.send) > sent; \(Self.send) > sent; $P mock wait title:Hello > sent")
        #expect(ended.status == 1 && ended.errors.contains("1 request arrived"), "\(ended.errors)")
    }

    @Test func `other signals reach the command too`() async throws {
        let ended = try await exec(
            [],
            "trap 'echo got it; exit 4' USR1; kill -USR1 $PPID; i=0; while [ $i -lt 1200 ]; do sleep 0.1; i=$((i+1)); done"
        )
        #expect(ended.output == "got it\n" && ended.status == 4, "\(ended.errors)")
    }

    @Test func `the exit code of the command counts more than a file that cannot be written`() async throws {
        let full = try await exec(["--dump", "/dev/full"], "\(Self.send) > sent; exit 3")
        #expect(full.status == 3 && full.errors.contains("--dump"), "\(full.errors)")
        #expect(try await exec(["--dump", "/dev/full"], "\(Self.send) > sent").status == 74)
        let junit = try await exec(["--junit", "/dev/full"], "true")
        #expect(junit.status == 74 && junit.errors.contains("--junit"), "\(junit.errors)")
        // A device stays a device, also for root.
        #expect(try await workspace.run(["test", "-c", "/dev/full"]).status == 0)
    }

    @Test func `the API is found by its address alone, as from another container`() async throws {
        let ended = try await exec(
            [],
            """
            \(Self.send) > sent; unset PUSHSEND_STATE; export HOME=/nowhere
            $P mock list --count; $P mock list --count --url "$MOCK_URL/"; $P mock list --url localhost:1; echo $?
            """)
        #expect(ended.outputLines == ["1", "1", "64"], "\(ended.errors)")
        #expect(ended.errors.contains("--url must be the address of the mock's API"))
    }

    @Test func `the mock of a run is stopped by the end of its command only`() async throws {
        let ended = try await exec([], "curl -s --json '{}' $MOCK_URL/v1/stop; echo; $P mock list --count")
        #expect(
            ended.output.contains("not_stoppable") && ended.output.hasSuffix("\n0\n"), "\(ended.output) \(ended.errors)"
        )
    }

    @Test func `an access token is readable by its user only, and the command gets it`() async throws {
        try workspace.write("a-secret-token\n", to: "token")
        let ended = try await exec(
            ["--access-token-file", "token", "--state", "state"],
            "ls -l state/running.json | cut -c 1-10; echo $PUSHSEND_MOCK_TOKEN; $P mock list --count --url $MOCK_URL")
        #expect(ended.outputLines == ["-rw-------", "a-secret-token", "0"], "\(ended.errors)")
    }

    @Test func `a search takes a nickname after token`() async throws {
        let ended = try await exec(
            [],
            """
            $P profile add tea --device phone=5f3ad1c07b9e4286 2> /dev/null; $P send phone --mock --topic com.example.app -m Hi > sent
            $P mock list --count token:phone; $P mock list --count -- 'body:Hi -token:phone'
            $P mock wait 'token:phone' --within 60s > /dev/null; echo $?
            """)
        #expect(ended.outputLines == ["1", "0", "0"], "\(ended.errors)")
    }

    @Test func `an open API is warned of`() async throws {
        let open = try await exec(["--listen", "0.0.0.0"], "true")
        #expect(open.errors.contains("warning: anyone who can connect to 0.0.0.0"), "\(open.errors)")
        #expect(try await exec(["--listen", "0.0.0.0", "--no-console"], "true").errors.isEmpty)
        #expect(try await exec([], "true").errors.isEmpty)
    }

    @Test func `a port that is taken is named with its flag`() async throws {
        let ended = try await exec(
            [],
            """
            $P mock --port 0 --state other --channel-ports 0,$APNS_PORT; echo $?
            $P mock --port $APNS_PORT --state other; echo $?
            $P mock --port 0 --state other --console-port $APNS_PORT; echo $?
            """)
        #expect(ended.outputLines == ["69", "69", "69"], "\(ended.output)")
        let flags = ended.errorLines.map { $0.split(separator: " ").last.map(String.init) }
        #expect(flags == ["--channel-ports.", "--port.", "--console-port."], "\(ended.errors)")
    }

    // MARK: The thin commands

    @Test func `what arrived is listed, awaited and asserted`() async throws {
        let ended = try await exec(
            [],
            """
            \(Self.send) > sent
            $P mock wait 'topic:com.example.app title:Hello' --exactly 1 --within 60s --settle 10ms > /dev/null; echo $?
            $P mock assert title:Hallo; echo $?
            $P mock assert --none title:Hallo > /dev/null; echo $?
            $P mock list --count 'status:200'
            $P mock list title:Hello --json | grep -o "^{.allowances"
            $P mock reset; $P mock list --count
            $P mock list 'foo:bar'; echo $?
            """)
        #expect(ended.output == "0\n1\n0\n1\n{\"allowances\n0\n65\n", "\(ended.errors)")
        #expect(ended.errors.contains("expected title:Hallo, found Hello"))
        #expect(ended.errors.contains("Unknown key \"foo\""))
    }

    @Test func `faults are injected, listed and removed from the shell`() async throws {
        let ended = try await exec(
            [],
            """
            $P mock fault '{"name": "busy", "steps": [{"answer": {"status": 410, "reason": "Unregistered"}}], "times": 1}'
            \(Self.send) > sent; echo $?
            $P mock fault --list
            $P mock fault '{"steps": ["judge"]}' && $P mock fault --clear && $P mock fault --list --json | grep -c '"is_active":true'
            $P mock fault '{"stepz": []}'; echo $?
            """)
        #expect(
            ended.output == "1\n1\n1  over  acted 1 time  busy\n2\n0\n65\n", "\(ended.output) \(ended.errors)")
    }

    @Test func `magic device tokens need no set-up, and can be switched off`() async throws {
        let script = """
            token=$($P mock env | sed -nE 's/^# (990410[0-9]+) .*/\\1/p')
            $P send "$token" --mock --topic com.example.app -m Hello --json | grep -o '"status":[0-9]*'
            """
        #expect(try await exec([], script).output == "\"status\":410\n")
        #expect(try await exec(["--no-magic"], script).output == "\"status\":200\n")
    }

    @Test func `a mock is stopped from the shell`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.run(
                [BuiltProgram.pushsend.path(), "mock", "stop", "--state", mock.workspace.path("mock")])
            #expect(ended.status == 0, "\(ended.errors)")
        }
    }

    // MARK: Scenarios

    @Test func `a scenario file is read again when it changes, and a mistake leaves the last one`() async throws {
        try workspace.write("faults: [{steps: [{answer: {status: 500}}]}]", to: "s.yaml")
        let script = """
            P='\(BuiltProgram.pushsend.path())'
            status() { \(Self.send) --json | grep -o '"status":[0-9]*'; }
            faults() { curl -s $MOCK_URL/v1/scenario | grep -o '"faults":[0-9]*'; }
            await() { i=0; while [ "$(faults)" != "$1" ] && [ $i -lt 2000 ]; do sleep 0.05; i=$((i+1)); done; faults; }
            status
            printf 'faults: []' > s.yaml; await '"faults":0'
            printf 'faults: [' > s.yaml
            until [ -e noticed ]; do sleep 0.05; done
            faults
            """
        let program = try workspace.startPushsend([
            "mock", "exec", "--scenario", "s.yaml", "--", "sh", "-c", script,
        ])
        #expect(await program.errors.line(with: "s.yaml:2:1: This isn't valid YAML") != nil)
        try workspace.write("", to: "noticed")
        let ended = await program.end()
        #expect(ended.output == "\"status\":500\n\"faults\":0\n\"faults\":0\n", "\(ended.errors)")
    }

    @Test(arguments: [
        (["--scenario", "no-such"], 66, "Ready scenarios: apns-outage"),
        (["--scenario", "bad.yaml"], 65, "bad.yaml:1:8: /clock: \"soon\" isn't a duration"),
        (["--console-port", "99999"], 64, "--console-port must be"),
        (["--no-console", "--scenario", "throttled"], 64, "--scenario needs the API"),
        (["--access-token-file", "missing"], 66, "--access-token-file"),
        (["--dump", "/no/such/folder/x"], 73, "--dump can't be created"),
        (["--junit", "/no/such/folder/x"], 73, "--junit can't be created"),
    ])
    func `a mistake is named before the command runs`(flags: [String], status: Int32, message: String) async throws {
        try workspace.write("clock: soon", to: "bad.yaml")
        let ended = try await exec(flags, "echo ran")
        #expect(ended.status == status)
        #expect(ended.errors.contains(message), "\(ended.errors)")
        #expect(ended.output == "")
    }

    @Test func `a port that is taken is named, with its flag`() async throws {
        let ended = try await exec([], "$P mock exec --console-port ${MOCK_URL##*:} -- true")
        #expect(ended.status == 69)
        #expect(ended.errors.contains("--console-port"), "\(ended.errors)")
    }

    @Test func `with an access token, the API is closed to others, and our commands know it`() async throws {
        try workspace.write("a-secret-token\n", to: "token")
        let ended = try await exec(
            ["--access-token-file", "token"],
            "curl -s -o /dev/null -w '%{http_code}\\n' $MOCK_URL/v1/pushes; $P mock list --count")
        #expect(ended.output == "401\n0\n", "\(ended.errors)")
    }
}
