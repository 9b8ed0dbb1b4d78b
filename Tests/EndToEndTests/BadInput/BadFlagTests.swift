import Foundation
import TestSupport
import Testing

/// Flags that mean nothing where they stand, and ids that cannot be any.
@Suite(.takingTurns) struct BadFlagTests {
    private static let send = ["send", RunningMock.token, "--topic", "com.example.app", "-m", "x"]

    @Test(arguments: [
        (["--mock", "--cacert", "ca.pem"], "--cacert"), (["--mock", "--endpoint", "localhost:2197"], "--endpoint"),
        (["--mock", "-e", "sandbox"], "--environment"),
    ])
    func `what says where to send to does not go with --mock`(flags: [String], word: String) async throws {
        expectRefusal(try await Workspace().pushsend(Self.send + flags), 64, "--mock", "leave out", word)
    }

    @Test func `--state without a mock means nothing`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let signer = ["--key", key, "--team-id", Workspace.teamID, "--state", "mock"]
        expectRefusal(try await workspace.pushsend(Self.send + signer), 64, "--state", "needs --mock")
        expectRefusal(try await workspace.pushsend(["jwt"] + signer), 64, "--state", "needs --mock")
    }

    @Test(arguments: [
        ("speed=3", "The limits are connections, "), ("connections", "NAME=VALUE"), ("None", "or none"),
        ("connections=", "NAME=VALUE"), ("connections=0", "a whole number above 0"),
        ("connections=many", "a whole number above 0"), ("connections=-1", "a whole number above 0"),
        ("request-time=10", "a time with its unit"), ("request-time=0s", "a time with its unit"),
        ("header-bytes=1.5", "header-bytes takes a whole number"),
    ])
    func `a limit of the mock that is none is refused`(value: String, why: String) async throws {
        let ended = try await Workspace().pushsend("mock", "--port", "0", "--state", "mock", "--limit", value)
        expectRefusal(ended, 64, "\"\(value)\"", "--limit", why, "See 'pushsend mock run --help'")
    }

    @Test(arguments: [["--endpoint", "localhost:2197", "-e", "production"], ["-e", "sandbox", "--endpoint", "x"]])
    func `--endpoint and -e both say where to send to`(flags: [String]) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let signer = ["--key", key, "--team-id", Workspace.teamID]
        expectRefusal(
            try await workspace.pushsend(Self.send + signer + flags), 64, "--endpoint", "--environment", "one of them")
    }

    @Test func `one apns-id does not name several notifications`() async throws {
        let id = ["--apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b"]
        let two = ["send", RunningMock.token, CurlTests.gone, "--topic", "com.example.app", "-m", "x", "--mock"]
        expectRefusal(try await Workspace().pushsend(two + id), 64, "--apns-id", "leave it out")
    }

    @Test(arguments: [
        (["--key-id", "ABC123", "--team-id", "DEF123GHIJ"], ["--key-id", "ABC123", "6 characters"]),
        (["--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJK"], ["--team-id", "11 characters"]),
        (["--key-id", "ABC123DEF_", "--team-id", "DEF123GHIJ"], ["--key-id", "letters and digits"]),
        (["--key-id", "DEF123GHIJ", "--team-id", "ABC123DEFG"], ["swapped", "ABC123DEFG"]),
    ])
    func `a mock refuses ids that cannot be those of a key`(ids: [String], words: [String]) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(["mock", "--port", "0", "--state", "mock", "--trust-key", key] + ids)
        expectRefusal(ended, 64)
        for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
    }

    @Test(arguments: [
        (["send", "--token", "x"], "Unknown option '--token'. The device token needs no flag: pushsend send TOKEN."),
        (["send", "x", "--body=Hello"], "Unknown option '--body'. Did you mean -m, --message?"),
        (["send", "x", "--production"], "Unknown option '--production'. Did you mean -e production?"),
        (["mock", "--sandbox"], "Unknown option '--sandbox'. Did you mean -e sandbox?"),
        (["send", "x", "--silent"], "Did you mean --content-available"),
        (["send", "x", "--messag", "y"], "Did you mean --message? See"),
        (["send", "x", "--hlep"], "Unknown option '--hlep'. Did you mean --help? See"),
        (["send", "x", "-tm", "y"], "Unknown option '-tm'. Write each option with its value: -t … -m …. See"),
        (["hlep"], "There is no subcommand \"hlep\". Did you mean help? See"),
        (["mock", "--set", "idletime=30s"], "Unknown key \"idletime\"; did you mean \"idle_time\". See"),
        (["sned", "x"], "There is no subcommand \"sned\". Did you mean send? See 'pushsend --help'"),
        (
            ["chanel", "list", "--topic", "x"],
            "There is no subcommand \"chanel\". Did you mean channel? See 'pushsend --help'"
        ),
        (
            ["channel", "lst", "--topic", "x"],
            "There is no subcommand \"lst\". Did you mean list? See 'pushsend channel --help'"
        ),
        (["mock", "redy"], "There is no subcommand \"redy\". Did you mean ready? See 'pushsend mock --help'"),
    ])
    func `a flag of another tool, and a slip, are answered with ours`(line: [String], words: String) async throws {
        expectRefusal(try await Workspace().pushsend(line), 64, words)
    }

    @Test(arguments: [
        (["send", "x", "-topic", "y"], "Unknown option '-topic'. Did you mean --topic? See 'pushsend send --help'"),
        (["send", "x", "-thread-id", "y"], "Did you mean --thread-id?"),
        (["send", "-payload", "{}"], "Did you mean --payload?"),
        (["send", "x", "-token", "y"], "The device token needs no flag"),
        (["send", "x", "-P", #"{"aps":{}}"#], "Unknown option '-P'. Did you mean --payload? See"),
        (["send", "x", "-m", "--topic", "y"], "-m has no text: the next word is the option --topic."),
        (["mock", "fault", "list"], "Did you mean pushsend mock fault --list?"),
        (["mock", "fault", "clear"], "Did you mean pushsend mock fault --clear?"),
        (["mock", "fault", "rm"], "Did you mean pushsend mock fault --remove NUMBER?"),
        (["profile", "use", "coffee"], "Did you mean pushsend profile add NAME --update --default?"),
    ])
    func `a slip is answered with what was meant`(line: [String], words: String) async throws {
        expectRefusal(try await Workspace().pushsend(line), 64, words)
    }

    @Test func `help and version as words show what they say`() async throws {
        let workspace = try Workspace()
        for command in ["send", "jwt", "mock", "profile", "lint"] {
            let word = try await workspace.pushsend(command, "help")
            let option = try await workspace.pushsend(command, "--help")
            #expect(word.status == 0 && word.output == option.output)
        }
        let word = try await workspace.pushsend("version")
        let option = try await workspace.pushsend("--version")
        #expect(word.status == 0 && word.output == option.output)
    }

    @Test func `a device that the profile lacks is named, with those that it has`() async throws {
        let workspace = try Workspace()
        try workspace.write(
            "profile: a\nprofiles: {a: {devices: {phone: \(RunningMock.token)}}}\n", to: "pushsend.yaml")
        let ended = try await workspace.pushsend("send", "phone", "tablet", "-m", "Hello")
        expectRefusal(ended, 64, "There is no device \"tablet\" in the profile \"a\": it has phone.")
        #expect(!ended.errors.contains("quotation marks"))
        expectRefusal(
            try await workspace.pushsend("send", "phone", "-m", "Hello", "World"), 64, "\"World\"", "quotation marks")
    }

    @Test func `lint takes the JSON itself`() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.pushsend("lint", #"{"aps":{"alert":"x"}}"#).status == 0)
        let bad = try await workspace.pushsend("lint", #"{"aps":{"alert":5}}"#)
        #expect(bad.status == 65 && bad.output.hasPrefix("payload:1:"), "\(bad.output)")
    }

    @Test func `a long note is broken between words on a narrow terminal`() async throws {
        let workspace = try Workspace()
        let script = "stty cols 40; exec \"$0\" send"
        let ended = try await workspace.terminal(
            command: ["sh", "-c", script, BuiltProgram.pushsend.path()], [("Key file: ", "\u{3}")])
        let lines = ended.output.split(separator: "\n")
        #expect(lines.count > 3 && lines.allSatisfy { $0.count <= 40 }, "\(ended.output)")
    }

    @Test func `a mock refuses more keys than teams`() async throws {
        let mock = ["mock", "--port", "0", "--trust-key", "a.p8", "--trust-key", "b.p8", "--team-id", "DEF123GHIJ"]
        expectRefusal(try await Workspace().pushsend(mock), 64, "--trust-key", "--team-id")
    }
}
