import Foundation
import TestSupport
import Testing

/// Profiles as people use them: added, used, checked, removed, and those of a cloned repository.
@Suite(.takingTurns) struct ProfileCommandTests {
    let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private static let config = "home/.config/pushsend/config.yaml"
    private static let token = RunningMock.token
    private static let otherToken = String(repeating: "e", count: 64)

    /// Adds the profile "coffee", with a key of its own.
    private func addCoffee(_ words: String...) async throws {
        _ = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            [
                "profile", "add", "coffee", "--key", "AuthKey_ABC123DEFG.p8", "--team-id", Workspace.teamID, "--topic",
                "com.example.coffee", "--device", "phone=\(Self.token)",
            ] + words)
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test func `a profile replaces the flags, and flags and variables override it`() async throws {
        try await addCoffee("-e", "production")
        #expect(try workspace.mode(of: Self.config) == 0o600)
        let plain = try await workspace.pushsend("send", "phone", "-m", "Hello", "--dry-run")
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(plain.output.contains("https://api.push.apple.com:443/3/device/\(Self.token)"))
        #expect(plain.output.contains("signed with key ABC123DEFG of team DEF123GHIJ"))
        #expect(plain.output.contains("apns-topic: com.example.coffee"))
        let flag = try await workspace.pushsend(
            ["send", "phone", "-m", "Hello", "--dry-run", "-e", "sandbox", "--topic", "flag"],
            environment: ["PUSHSEND_TOPIC": "variable"])
        #expect(flag.output.contains("api.sandbox.push.apple.com") && flag.output.contains("apns-topic: flag"))
        let variable = try await workspace.pushsend(
            ["send", "phone", "-m", "Hello", "--dry-run"],
            environment: ["PUSHSEND_TOPIC": "variable", "PUSHSEND_ENDPOINT": "localhost:1"])
        #expect(variable.output.contains("https://localhost:1/3") && variable.output.contains("apns-topic: variable"))
        let misspelt = try await workspace.pushsend(
            ["send", "phone", "-m", "Hello", "--dry-run"], environment: ["PUSHSEND_TOPPIC": "variable"])
        #expect(misspelt.status == 0 && misspelt.output.contains("apns-topic: com.example.coffee"))
        #expect(
            misspelt.errors.components(separatedBy: "Did you mean PUSHSEND_TOPIC?").count == 2, "\(misspelt.errors)")
        let only = try await workspace.pushsend("send", "-m", "Hello", "--dry-run")
        #expect(
            only.output.contains(Self.token) && only.errors.contains("Sending to phone, the only device of coffee."))
        let inspected = try await workspace.pushsend("inspect", "phone", "--json")
        #expect(JSON(parsing: inspected.output)["token"]?.string == Self.token)
        let jwt = try await workspace.pushsend("jwt", "--json")
        #expect(JSON(parsing: jwt.output)["key_id"]?.string == "ABC123DEFG")
    }

    @Test func `a profile sends to a mock, with its topic and its nicknames`() async throws {
        try await RunningMock.with { mock in
            let added = try await mock.workspace.pushsend(
                "profile", "add", "coffee", "--topic", RunningMock.topic, "--device", "phone=\(Self.token)",
                "--endpoint", "localhost:\(mock.port)", "--cacert", mock.caFile, "--key",
                mock.workspace.path("mock/AuthKey_MOCKKEY123.p8"), "--team-id", "MOCKTEAM12")
            #expect(added.status == 0, "\(added.errors)")
            let sent = try await mock.workspace.pushsend("send", "phone", "-m", "Hello", "--json")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(JSON(parsing: sent.output)["token"]?.string == Self.token)
            let batch = try await mock.workspace.shell(
                "echo \(Self.token) > tokens; \(BuiltProgram.pushsend.path()) batch tokens -m Hello --profile coffee")
            #expect(batch.status == 0, "\(batch.errors)")
        }
    }

    @Test func `a mock registers a device by its nickname`() async throws {
        try await addCoffee()
        try await RunningMock.with("--unknown-tokens", "reject", "--register", "phone", in: workspace) { mock in
            let known = try await mock.send("-m", "Hello")
            let unknown = try await mock.send(["-m", "Hello"], to: [Self.otherToken])
            #expect(known.status == 0 && unknown.status == 1)
        }
    }

    @Test func `list, show, check and remove`() async throws {
        try await addCoffee("-e", "sandbox")
        let tea = try await workspace.pushsend("profile", "add", "tea", "--topic", "com.example.tea")
        #expect(tea.errors.contains("--profile tea"))
        _ = try await workspace.pushsend("profile", "add", "water", "--device", "tablet=\(Self.otherToken)")
        let list = try await workspace.pushsend("profile", "list")
        // What a profile doesn't have leaves its place empty.
        #expect(
            list.output == """
                * coffee  com.example.coffee  sandbox  with a key  phone
                  tea     com.example.tea
                  water                                            tablet

                """)
        let lines = try await workspace.pushsend("profile", "list", "--json").output.split(separator: "\n")
        #expect(lines.map { JSON(parsing: String($0))["default"] } == [true, false, false])

        let shown = try await workspace.pushsend(
            ["profile", "show", "--origins"], environment: ["PUSHSEND_ENVIRONMENT": "production"])
        #expect(
            shown.output.contains("production") && shown.output.contains("PUSHSEND_ENVIRONMENT, instead of sandbox of"))
        #expect(!shown.output.contains(Self.token))
        let json = JSON(parsing: try await workspace.pushsend("profile", "show", "tea", "--json").output)
        #expect(json["settings"] == ["topic": "com.example.tea"] && json["profile"] == "tea")

        #expect(try await workspace.pushsend("profile", "check").status == 0)
        try await workspace.prepare("rm AuthKey_ABC123DEFG.p8")
        let checked = try await workspace.pushsend("profile", "check", "coffee")
        #expect(checked.status == 66 && checked.output.contains("There is no file"))

        let unasked = try await workspace.pushsend("profile", "remove", "coffee")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
        #expect(try await workspace.pushsend("profile", "remove", "coffee", "--yes").status == 0)
        #expect(try await workspace.pushsend("profile", "list").output.hasPrefix("  tea"))
    }

    @Test func `an existing profile is only changed with --update, and then keeps the rest`() async throws {
        try await addCoffee("-e", "sandbox")
        let before = try workspace.read(Self.config)
        let twice = try await workspace.pushsend("profile", "add", "coffee", "--topic", "x")
        #expect(twice.status == 64 && twice.errors.contains("--update"))
        #expect(try workspace.read(Self.config) == before)
        let updated = try await workspace.pushsend(
            "profile", "add", "coffee", "--update", "--device", "tablet=\(Self.otherToken)", "--endpoint", "localhost:1"
        )
        #expect(updated.status == 0)
        let json = JSON(parsing: try await workspace.pushsend("profile", "show", "--json").output)
        #expect(json["devices"]?.keys == ["phone", "tablet"])
        #expect(json["settings"]?["topic"] == "com.example.coffee" && json["settings"]?["endpoint"] == "localhost:1")
        // Another server replaces the environment.
        #expect(json["settings"]?["environment"] == nil)
        let missing = try await workspace.pushsend("profile", "add", "milk", "--update", "--topic", "x")
        #expect(missing.status == 78)
    }

    @Test func `wrong values are refused, and nothing is written`() async throws {
        for (words, status, message) in [
            (["a b", "--topic", "x"], 64, "isn't a name for a profile"), (["x"], 64, "There are no values"),
            (["x", "--key", "missing.p8"], 66, "There is no file"), (["x", "--port", "80"], 64, "443 and 2197"),
            (["x", "--device", "phone"], 64, "phone=5f3a"), (["x", "--device", "cafe=5f3a"], 64, "from g to z"),
            (["x", "--device", "phone=xyz"], 65, "isn't a hex digit"),
            (["x", "--topic", "bad topic"], 64, "isn't allowed in a bundle id"),
            (["x", "--proxy", "http://me:hunter2@p:1"], 64, "PUSHSEND_PROXY"),
        ] as [([String], Int32, String)] {
            let ended = try await workspace.pushsend(["profile", "add"] + words)
            #expect(ended.status == status && ended.errors.contains(message), "\(words): \(ended.errors)")
            #expect(!ended.errors.contains("hunter2"))
        }
        #expect(!workspace.exists(Self.config))
    }

    @Test(arguments: [[], ["--origins"], ["--json"], ["--json", "--origins"]])
    func `a secret in a variable is not shown`(flags: [String]) async throws {
        let blob = "MIGTAgEAMBMG" + String(repeating: "hunter2", count: 20)
        for (key, isShown) in [("-----BEGIN PRIVATE KEY-----\nhunter2", false), (blob, false), ("key.p8", true)] {
            let shown = try await workspace.pushsend(
                ["profile", "show"] + flags,
                environment: ["PUSHSEND_PROXY": "http://me:hunter2@there:1", "PUSHSEND_KEY": key])
            #expect(shown.status == 0 && shown.output.contains("http://(not shown)@there:1"), "\(shown.errors)")
            #expect(!shown.output.contains("hunter2") && shown.output.contains("key.p8") == isShown)
        }
    }

    @Test func `a mistake in the file is reported with line and column, by every command that reads it`() async throws {
        try await workspace.prepare("mkdir -p home/.config/pushsend")
        try workspace.write("topic: a\ntopc: b\n", to: Self.config)
        for words in [
            ["send", "5f3a", "-m", "x"], ["profile", "list"], ["jwt"], ["profile", "add", "x", "--topic", "y"],
        ] {
            let ended = try await workspace.pushsend(words)
            #expect(ended.status == 78, "\(words)")
            #expect(ended.errors.contains("config.yaml:2:1: Unknown key \"topc\". Did you mean \"topic\"?"))
        }
        #expect(try await workspace.pushsend("explain", "78").status == 0)
        #expect(try workspace.read(Self.config) == "topic: a\ntopc: b\n")
    }

    // MARK: Passphrases

    @Test func `a passphrase comes from a file or a command beside the profile`() async throws {
        try await workspace.makeCertificates()
        let folder = "home/.config/pushsend"
        let p12 = "sandbox.p12"
        try await workspace.prepare(
            "mkdir -p \(folder); cp certs/\(p12) \(folder)/; cp certs/passphrase.txt \(folder)/secret; chmod 600 \(folder)/*"
        )
        for way in ["passphrase_file: secret", "passphrase_command: cat ./secret"] {
            try workspace.write("topic: com.example.app\np12: \(p12)\n\(way)\n", to: Self.config)
            let ended = try await workspace.pushsend("profile", "check")
            #expect(ended.status == 0, "\(way): \(ended.output) \(ended.errors)")
        }
        try workspace.write("topic: x\np12: \(p12)\npassphrase_command: echo hunter2; exit 3\n", to: Self.config)
        let failed = try await workspace.pushsend("send", "5f3a", "-m", "x", "--dry-run")
        #expect(failed.status == 77 && failed.errors.contains("failed with exit code 3"))
        #expect(!failed.errors.contains("hunter2"))
        try workspace.write("topic: x\np12: \(p12)\npassphrase_command: cat ./secret\n", to: Self.config, mode: 0o644)
        let open = try await workspace.pushsend("profile", "check")
        #expect(open.errors.contains("says where a passphrase is, and other users can read it: chmod 600"))
        try workspace.write("topic: x\n", to: Self.config, mode: 0o666)
        #expect(try await workspace.pushsend("profile", "check").status == 78)
    }

    // MARK: Projects

    /// A repository with a hostile file, cloned by git.
    private func clone(_ text: String) async throws {
        try workspace.write(text, to: "pushsend.yaml")
        try await workspace.prepare(
            """
            mkdir origin && mv pushsend.yaml origin/ && cd origin && git init -q . && git add . && \
            git -c user.name=x -c user.email=x@example.com commit -qm x && cd .. && git clone -q origin clone
            """)
    }

    private func inClone(_ words: String) async throws -> Ended {
        try await workspace.shell("cd clone && '\(BuiltProgram.pushsend.path())' \(words)")
    }

    @Test func `a cloned repository runs nothing, signs with nothing and redirects nothing until it is trusted`()
        async throws
    {
        try await addCoffee("-e", "sandbox")
        try await clone(
            """
            profile: coffee
            topic: com.example.cloned
            environment: production
            key: /etc/passwd
            key_id: EVILEVILEV
            team_id: EVILEVILEV
            passphrase_command: touch pwned
            proxy: http://localhost:1
            cacert: /etc/passwd
            devices:
              tablet: \(Self.otherToken)
            profiles:
              coffee:
                passphrase_command: touch pwned
                team_id: EVILEVILEV
            """)
        let sent = try await inClone("send tablet -m Hello --dry-run")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.output.contains("https://api.push.apple.com:443/3/device/\(Self.otherToken)"))
        #expect(sent.output.contains("signed with key ABC123DEFG of team DEF123GHIJ"))
        #expect(sent.output.contains("apns-topic: com.example.cloned") && !sent.output.contains("proxy"))
        #expect(sent.errors.contains("which is ignored because the file isn't trusted"))
        #expect(!workspace.exists("clone/pwned"))

        let unasked = try await inClone("profile trust < /dev/null")
        #expect(unasked.status == 64 && unasked.errors.contains("passphrase_command: touch pwned"))
        #expect(try await inClone("profile trust --yes").status == 0)
        let trusted = try await inClone("send tablet -m Hello --dry-run")
        #expect(trusted.status != 0 && !trusted.output.contains("ABC123DEFG"))
        // A change by a later pull ends the trust.
        try await workspace.prepare("printf '\\n# changed\\n' >> clone/pushsend.yaml")
        #expect(try await inClone("send tablet -m Hello --dry-run").output.contains("ABC123DEFG"))
        // So does a copy of the file in another folder.
        try await workspace.prepare("cp -R clone other")
        let other = try await workspace.shell("cd other && '\(BuiltProgram.pushsend.path())' profile show --origins")
        #expect(other.errors.contains("isn't trusted"))
        #expect(!workspace.exists("clone/pwned"))
    }

    @Test
    func `the server of a cloned repository is not replaced silently, and its nicknames are not those of the user`()
        async throws
    {
        try await addCoffee("-e", "sandbox")
        try await clone("endpoint: localhost:1\ndevices:\n  phone: \(Self.otherToken)\n")
        let sent = try await inClone("send \(Self.token) -m Hello --dry-run")
        #expect(sent.status == 78 && sent.errors.contains("pushsend.yaml:1 chooses the server localhost:1"))
        #expect(try await inClone("send \(Self.token) -m Hello --dry-run -e sandbox").status == 0)
        let phone = try await inClone("send phone -m Hello --dry-run -e sandbox")
        #expect(phone.status == 78 && phone.errors.contains("\"phone\" means different devices"))
        #expect(try await inClone("profile trust --yes").status == 0)
        #expect(try await inClone("send phone -m Hello --dry-run").output.contains("localhost:1/3/device/eeee"))
        #expect(try await inClone("profile trust --revoke").status == 0)
        #expect(try await inClone("send \(Self.token) -m Hello --dry-run").status == 78)
    }

    @Test func `a file of the project has relative paths and fits every clone`() async throws {
        _ = try await workspace.makeKey()
        let added = try await workspace.pushsend(
            "profile", "add", "coffee", "--project", "--key", "AuthKey_ABC123DEFG.p8", "--topic", "com.example.coffee")
        #expect(added.status == 0 && added.errors.contains("pushsend profile trust"))
        #expect(try workspace.read("pushsend.yaml").contains("key: AuthKey_ABC123DEFG.p8\n"))
    }

    // MARK: Questions

    @Test func `profile add asks for everything on a terminal`() async throws {
        _ = try await workspace.makeKey()
        let ended = try await workspace.terminal(
            ["profile", "add"],
            [
                ("Name: ", "my coffee\n"), ("isn't a name", ""), ("Name: ", "coffee\n"), ("Key file: ", "\n"),
                ("Team id: ", "DEF123GHIJ\n"), ("Topic: ", "com.example.coffee\n"), ("Environment: ", "sandbox\n"),
                ("Device token: ", "\(Self.token)\n"), ("Nickname: ", "cafe\n"), ("from g to z", ""),
                ("Nickname: ", "phone\n"),
            ])
        #expect(ended.status == 0, "\(ended.output)")
        let sent = try await workspace.pushsend("send", "phone", "-m", "Hello", "--dry-run")
        #expect(sent.status == 0 && sent.output.contains("signed with key ABC123DEFG of team DEF123GHIJ"))
        let kept = try await workspace.terminal(["profile", "remove", "coffee"], [("Remove it? (yes/no): ", "\n")])
        #expect(kept.status == 130 && kept.output.contains("Nothing was removed."))
    }

    @Test func `send offers to save what it has asked for, once the push was accepted`() async throws {
        try await RunningMock.with { mock in
            let sent = try await mock.workspace.terminal(
                [
                    "send", "--endpoint", "localhost:\(mock.port)", "--cacert", mock.caFile, "-m", "Hello", "--key",
                    "mock/AuthKey_MOCKKEY123.p8",
                ],
                [
                    ("Team id: ", "MOCKTEAM12\n"), ("Topic: ", "\(RunningMock.topic)\n"),
                    ("Device token: ", "\(Self.token)\n"), ("Profile name: ", "coffee\n"), ("Nickname: ", "phone\n"),
                ])
            #expect(sent.status == 0 && sent.output.contains("pushsend send phone -m Hello"), "\(sent.output)")
            let again = try await mock.workspace.terminal(["send", "phone", "-m", "Hello"], [])
            #expect(again.status == 0 && again.output.contains("accepted"), "\(again.output)")
            let not = try await mock.workspace.pushsend("send", "phone", "-m", "Hello", "--json")
            #expect(not.status == 0)
        }
    }
}
