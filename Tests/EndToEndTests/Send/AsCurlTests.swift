import TestSupport
import Testing

@Suite(.takingTurns) struct AsCurlTests {
    static let messages: [[String]] = [
        ["-m", "Hello"], ["-m", #"it's "quoted" $HOME `id` \n !! %s"#], ["-m", "two\nlines"],
        ["-m", "x", "--collapse-id", "it's one", "--expires", "once", "--priority", "5"],
        ["--payload", "{ \"aps\" : { \"alert\" : \"as it's\" } }"],
        ["--content-available", "--apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b"],
    ]

    /// The folders have names that a shell would take apart if they were not quoted.
    @Test(arguments: messages)
    func `the command that is printed makes the same request when it is pasted`(message: [String]) async throws {
        try await RunningMock.with { mock in
            let printed = try await mock.send(message + ["--as-curl"])
            #expect(printed.status == 0)
            #expect(try await mock.send(message).status == 0)
            let pasted = try await mock.workspace.shell("cd / && " + printed.output)
            #expect(pasted.status == 0)
            #expect(pasted.output.hasPrefix("HTTP/2 200"))

            let (sent, curled) = try await (mock.request(1), mock.request(2))
            for key in ["method", "path", "payload", "topic", "push_type", "priority", "expiration", "collapse_id"] {
                #expect(sent[key] == curled[key], "\(key)")
            }
        }
    }

    @Test func `a key, a CA file and several devices, from a folder with a name that must be quoted`() async throws {
        let workspace = try Workspace()
        try await workspace.prepare("mkdir \"it's here\"")
        let key = try await workspace.makeKey(named: "renamed.p8")
        try await workspace.prepare("mv renamed.p8 \"it's here\"")
        let trust = ["--trust-key", "it's here/\(key)", "--key-id", Workspace.keyID, "--team-id", Workspace.teamID]
        try await RunningMock.with(trust[0], trust[1], trust[2], trust[3], trust[4], trust[5], in: workspace) { mock in
            let printed = try await workspace.pushsend(
                "send", RunningMock.token, "5f3ad1c07b9e4286", "--topic", "com.example.app", "-m", "Hello",
                "--key", "it's here/\(key)", "--key-id", Workspace.keyID, "--team-id", Workspace.teamID,
                "--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem", "--as-curl")
            #expect(printed.status == 0)
            let pasted = try await workspace.shell("cd / && " + printed.output)
            #expect(pasted.output.matches(of: /HTTP\/2 200/).count == 2, "\(pasted.errors)")
            #expect(try await mock.request(2)["token"] == "5f3ad1c07b9e4286")
        }
    }

    @Test func `nothing is sent, and no server is needed`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            "send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--key", key, "--team-id",
            Workspace.teamID, "-e", "production", "--as-curl")
        #expect(ended.status == 0)
        #expect(ended.output.contains("'https://api.push.apple.com:443/3/device/\(RunningMock.token)'"))
        #expect(ended.errors == "")
    }
}
