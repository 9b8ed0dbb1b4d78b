import Foundation
import TestSupport
import Testing

/// What is missing is asked for where somebody can answer.
@Suite(.takingTurns) struct DialogueTests {
    let workspace: Workspace

    init() async throws {
        workspace = try Workspace()
        _ = try await workspace.makeKey()
    }

    private static let all: [TerminalStep] = [
        ("Key file: ", "AuthKey_ABC123DEFG.p8\n"), ("Team id: ", "DEF123GHIJ\n"), ("Topic: ", "com.example.app\n"),
        ("Environment: ", "sandbox\n"), ("Device token: ", "Registered with device token: \(RunningMock.token)\n"),
        ("Text: ", "It's me\n"),
    ]

    @Test func `send alone asks for all that a first push needs, and says the command for the next time`() async throws
    {
        let ended = try await workspace.terminal(["send", "--dry-run"], Self.all)
        #expect(ended.status == 0)
        for word in [
            "developer.apple.com", "Membership", "Xcode", "as the app printed it", "Next time, in one line:",
        ] {
            #expect(ended.output.contains(word), "\(ended.output)")
        }
        #expect(ended.output.contains(#"{"aps":{"alert":{"body":"It's me"}}}"#))

        let line = try #require(ended.output.split(separator: "\n").first { $0.contains("--team-id") })
        let again = try await workspace.shell(String(line))
        #expect(again.status == 0)
        #expect(again.output.contains(#"{"aps":{"alert":{"body":"It's me"}}}"#))
        #expect(again.output.contains("signed with key ABC123DEFG of team DEF123GHIJ"))
        #expect(again.errorLines.isEmpty)
    }

    @Test func `only what is missing is asked for`() async throws {
        let ended = try await workspace.terminal(
            ["send", RunningMock.token, "--key", "AuthKey_ABC123DEFG.p8", "-m", "x", "--dry-run"],
            [("Topic: ", "com.example.app\n"), ("Environment: ", "production\n")],
            environment: ["PUSHSEND_TEAM_ID": Workspace.teamID])
        #expect(ended.status == 0)
        #expect(ended.output.contains("Topic: "))
        for question in ["Key file: ", "Key id: ", "Team id: ", "Device token: ", "Text: "] {
            #expect(!ended.output.contains(question), "\(ended.output)")
        }
    }

    @Test func `with everything there nothing is asked and nothing is added`() async throws {
        let ended = try await workspace.terminal(
            [
                "send", RunningMock.token, "--key", "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ", "--topic",
                "com.example.app", "-m", "x", "--dry-run",
            ], [])
        #expect(ended.status == 0)
        #expect(!ended.output.contains("Next time"))
    }

    @Test func `an answer that cannot be right is asked for again, with the reason`() async throws {
        try await workspace.prepare("mv AuthKey_ABC123DEFG.p8 'renamed key.p8'")
        let ended = try await workspace.terminal(
            ["send", "--dry-run"],
            [
                ("Key file: ", "missing.p8\n"), ("no file \"missing.p8\"", ""), ("Key file: ", "\n"),
                ("Type the path", ""), ("Key file: ", "'renamed key.p8'\n"),
                ("Key id: ", "ABC\n"), ("3 characters", ""), ("Key id: ", "ABC123DEFG\n"),
                ("Team id: ", "ABC123DEFG\n"), ("This is the key id", ""), ("Team id: ", "DEF123GHIJ\n"),
                ("Topic: ", "my app\n"), ("\"my app\"", ""), ("Topic: ", "com.example.app\n"),
                ("Environment: ", "xcode\n"), ("Type sandbox or production", ""), ("Environment: ", "dev\n"),
                ("Device token: ", "5f3\n"), ("3", ""), ("Device token: ", "5f3ad1c07b9e4286\n"),
                ("Text: ", "\n"), ("Type the text", ""), ("Text: ", "-5 degrees\n"),
            ])
        #expect(ended.status == 0)
        #expect(ended.output.contains(#"{"aps":{"alert":{"body":"-5 degrees"}}}"#))
        let line = try #require(ended.output.split(separator: "\n").first { $0.contains("--team-id") })
        #expect(try await workspace.shell(String(line)).status == 0)
    }

    @Test func `a bundle id in the payload file is not asked for`() async throws {
        try workspace.write(#"{"Simulator Target Bundle":"com.example.sim","aps":{"alert":"x"}}"#, to: "p.apns")
        let ended = try await workspace.terminal(
            ["send", RunningMock.token, "--payload", "p.apns", "--key", "AuthKey_ABC123DEFG.p8", "--dry-run"],
            [("Team id: ", "DEF123GHIJ\n"), ("Environment: ", "sandbox\n")])
        #expect(ended.status == 0)
        #expect(ended.output.contains("apns-topic: com.example.sim\n"))
    }

    @Test func `Ctrl-C leaves with 130, Ctrl-D with what is missing`() async throws {
        let interrupted = try await workspace.terminal(["send"], [("Key file: ", "\u{3}")])
        #expect(interrupted.status == 130)
        #expect(interrupted.output.hasSuffix("Key file: ^C\n"), "\(interrupted.output)")
        let left = try await workspace.terminal(["send", "-m", "x"], [Self.all[0], Self.all[1], ("Topic: ", "\u{4}")])
        #expect(left.status == 64)
        #expect(left.output.contains("pushsend: There is no device token"), "\(left.output)")
    }

    @Test func `a key that lies in the folder is taken by Enter, one of several by its number`() async throws {
        var steps = Self.all
        steps[0] = ("Found here: AuthKey_ABC123DEFG.p8", "")
        steps.insert(("Key file: ", "\n"), at: 1)
        let ended = try await workspace.terminal(["send", "--dry-run"], steps)
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("--key AuthKey_ABC123DEFG.p8"))
        #expect(ended.output.contains("-e sandbox"))
        try await workspace.prepare("cp AuthKey_ABC123DEFG.p8 AuthKey_ABC123AAAA.p8")
        steps[0] = ("  2  AuthKey_ABC123DEFG.p8", "")
        steps[1] = ("Key file: ", "2\n")
        let chosen = try await workspace.terminal(["send", "--dry-run"], steps)
        #expect(chosen.status == 0, "\(chosen.output)")
        #expect(chosen.output.contains("--key AuthKey_ABC123DEFG.p8"))
    }

    @Test func `the environment that is said is not asked for`() async throws {
        for flags in [["-e", "production"], ["--endpoint", "127.0.0.1:1"]] {
            let ended = try await workspace.terminal(
                ["send", "--dry-run"] + flags, Self.all.filter { $0.0 != "Environment: " })
            #expect(ended.status == 0, "\(ended.output)")
            #expect(!ended.output.contains("Environment: "))
        }
    }

    @Test func `a campaign to production asks for the whole word, below its question`() async throws {
        try workspace.write("\(RunningMock.token)\n", to: "tokens")
        let flags = [
            "batch", "tokens", "-m", "x", "-e", "production", "--topic", "com.example.app", "--key",
            "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ",
        ]
        let ended = try await workspace.terminal(
            flags,
            [
                ("Send 1 notification to com.example.app, production?", ""), ("Type yes to send them: ", "y\n"),
                ("Type the whole word", ""), ("Type yes to send them: ", "no\n"),
            ])
        #expect(ended.status == 130, "\(ended.output)")
        #expect(ended.output.contains("Nothing was sent."))
    }

    @Test func `with --json there is no prompt`() async throws {
        let ended = try await workspace.terminal(["send", RunningMock.token, "-m", "x", "--json"], [])
        #expect(ended.status == 64)
        #expect(ended.output.hasPrefix("pushsend: There is no topic"))
    }

    @Test func `a push to a mock asks for no key, and no phone is spoken of`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.terminal(
                ["send", "--mock", "--state", "mock", "-m", "x"],
                [("Topic: ", "com.example.app\n"), ("Device token: ", "\(RunningMock.token)\n")])
            #expect(ended.status == 0)
            #expect(ended.output.contains("accepted  apns-id "))
            #expect(!ended.output.contains("phone"))
        }
    }
}
