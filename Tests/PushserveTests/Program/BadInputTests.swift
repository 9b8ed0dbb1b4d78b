import Foundation
import PushQueue
import TestSupport
import Testing

/// What the built program says about bad input: message, place, remedy, exit code.
@Suite struct BadInputTests {
    private let ground: Ground

    init() throws {
        ground = try Ground()
    }

    @Test func `an unknown key is refused with its place and the nearest one`() async throws {
        try ground.configure("    ttll: 2h")
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command)
            #expect(ended.status == 78)
            #expect(
                ended.errorLines == [#"pushserve: pushserve.yaml:8:5: Unknown key "ttll". Did you mean "ttl"?"#])
        }
    }

    @Test(arguments: [["check"], ["inbox", "check"]])
    func `with --json, each mistake in the configuration is a finding`(command: [String]) async throws {
        try ground.configure("    ttll: 2h\n    rate: 5")
        let ended = try await ground.start(command + ["--json"]).end()
        #expect(ended.status == 78 && ended.errors == "")
        let found = ended.objects
        #expect(found.map { $0["check"] as? String } == ["configuration", "configuration"], "\(ended.output)")
        #expect(found.allSatisfy { $0["verdict"] as? String == "failed" })
        #expect((found.first?["fact"] as? String)?.hasPrefix("pushserve.yaml:8:5: Unknown key \"ttll\".") == true)
        let missing = try await ground.start(command + ["--json", "--config", "nowhere.yaml"]).end()
        #expect(missing.status == 66 && missing.objects.count == 1, "\(missing.output)")
    }

    @Test func `a mistake in an address shows neither its password nor its query`() async throws {
        for url in [
            "https://hook:hunter2@example.com/push", "https://hook:hunt/er2@::1:9/", "https://[::1]/?hunter2#a",
        ] {
            try ground.configure(
                "    ttl: https://a:hunter2@b\n    webhook: {url: \"\(url)\", secrets_file: hook.secret}")
            let ended = try await ground.start(["check", "--json"]).end()
            #expect(ended.status == 78 && ended.objects.count == 3, "\(ended.output)")
            #expect(!ended.output.contains("hunt") && !ended.output.contains("er2"), "\(ended.output)")
        }
    }

    @Test func `a missing key file is refused with its place`() async throws {
        try ground.configure()
        try FileManager.default.removeItem(atPath: ground.path("AuthKey_ABC123DEFG.p8"))
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 66)
        #expect(ended.errors.hasPrefix("pushserve: pushserve.yaml:6:17: \"file\" is \""))
        #expect(ended.errors.contains("There is no such file. Correct the path, or create the file."))
    }

    @Test func `two apps of one name are refused`() async throws {
        try ground.configure("  shop: {environment: sandbox}")
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 78)
        #expect(ended.errors.contains(#"pushserve.yaml:8:3: "shop" occurs twice, also in line 4."#))
    }

    @Test func `a configuration that others can change is refused`() async throws {
        let path = try ground.configure()
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("Other users can change this file."))
    }

    @Test func `without a configuration, the message says how to begin`() async throws {
        let ended = try await ground.pushserve("run", environment: ["PUSHSERVE_CONFIG": ""])
        // A machine with the service has a configuration in /etc.
        guard !FileManager.default.fileExists(atPath: "/etc/pushserve/pushserve.yaml") else { return }
        #expect(ended.status == 78)
        #expect(ended.errors.contains("--config FILE"))
        let missing = try await ground.pushserve("check", "--config", "nowhere.yaml")
        #expect(missing.status == 66)
    }

    @Test func `a port in use is refused with its address and a remedy`() async throws {
        let port = try HeldPort()
        try ground.configure(listen: "127.0.0.1:\(port.number)")
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 69)
        #expect(ended.errors.contains("can't listen on 127.0.0.1:\(port.number): Address already in use."))
        #expect(ended.errors.contains(#"change "listen""#))
        // Nothing was created.
        #expect(!FileManager.default.fileExists(atPath: ground.path("queue.sqlite")))
    }

    @Test func `a port in use for metrics is refused`() async throws {
        let port = try HeldPort()
        try ground.configure("metrics: 127.0.0.1:\(port.number)")
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 69)
        #expect(ended.errors.contains(#"change "metrics""#))
    }

    @Test func `a database in a folder that does not exist is refused`() async throws {
        try ground.configure(database: "nowhere/queue.sqlite")
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command)
            #expect(ended.status == 73)
            #expect((ended.output + ended.errors).contains("folder"))
        }
    }

    @Test func `a database that cannot be written is refused`() async throws {
        try ground.configure(database: "/proc/queue.sqlite")
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 73)
        #expect(ended.errors.contains("/proc/queue.sqlite"))
    }

    @Test func `a foreign database is refused and stays as it is`() async throws {
        try ground.configure()
        let text = Array("This is no database, but somebody's text.\n".utf8)
        try ground.write(text, to: "queue.sqlite")
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command)
            #expect(ended.status == 65)
            #expect((ended.output + ended.errors).contains("isn't a queue of this library"))
        }
        let stats = try await ground.pushserve("queue", "stats")
        #expect(stats.status == 65)
        #expect(try Data(contentsOf: URL(filePath: ground.path("queue.sqlite"))) == Data(text))
    }

    @Test func `a database of a newer version is refused`() async throws {
        try ground.configure()
        let queue = try SQLiteQueue(ground.path("queue.sqlite"))
        await queue.close()
        // The format of a database is in its header (user_version, bytes 60 to 63).
        let file = try FileHandle(forUpdating: URL(filePath: ground.path("queue.sqlite")))
        try file.seek(toOffset: 60)
        try file.write(contentsOf: [0, 0, 0x27, 0x10])
        try file.close()
        let ended = try await ground.pushserve("run")
        #expect(ended.status == 65)
        #expect(ended.errors.contains("has the format 10000"), "\(ended.errors)")
    }

    @Test func `an expired certificate takes its app down, and the others run`() async throws {
        let set = try CertificateSet.shared()
        try ground.configure(
            """
              old:
                environment: {host: localhost}
                certificate: {file: \(set.path("expired.p12")), passphrase_file: \(set.path("passphrase.txt"))}
            """)
        let check = try await ground.pushserve("check")
        #expect(check.status == 77)
        #expect(check.output.contains("failed   old: credentials: "))
        #expect(check.output.contains("ok       shop: credentials: "))

        let program = try ground.start(["run", "--json"])
        let down = await program.errors.line(with: "app=old")
        #expect(down?.contains(" error ") == true)
        #expect(down?.contains("expired") == true)
        #expect(await program.output.line(with: #""event":"ready""#) != nil)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `check reports a webhook whose secrets cannot be used`() async throws {
        try ground.configure("    webhook: {url: \"https://example.com/hook\", secrets_file: hook.secret}")
        let secret = "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"
        for text in [
            " ", "\(secret) ", "\t\(secret)", "\(secret.prefix(20)) \(secret.dropFirst(20))", "\(secret) \(secret)",
        ] {
            try ground.write("\(secret)\r\n\(text)\n", to: "hook.secret")
            let blank = try await ground.pushserve("check")
            #expect(blank.status == 78 && blank.output.contains("has blanks in line 2"), "\(blank.output)")
            #expect(blank.output.contains("Remove them") && !blank.output.contains(secret.prefix(20)))
        }
        try ground.write("not a secret\n", to: "hook.secret")
        let wrong = try await ground.pushserve("check")
        #expect(wrong.status == 78)
        #expect(wrong.output.contains("failed   shop: webhook: "))
        #expect(!wrong.output.contains("not a secret"))
        try ground.write(
            "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())\n", to: "hook.secret", mode: 0o644)
        let open = try await ground.pushserve("check")
        #expect(open.status == 0, "\(open.output)")
        #expect(open.output.contains("warning  shop: webhook: Other users can read"))
    }

    @Test func `check with a connection reports a webhook that the service never posts to`() async throws {
        try ground.write(SampleKey.pem, to: "AuthKey_ABC123DEFG.p8")
        try ground.write("whsec_\(Data(repeating: 7, count: 32).base64EncodedString())\n", to: "hook.secret")
        func configure(_ more: String = "") throws {
            // Nothing listens on the first port.
            try ground.write(
                """
                database: queue.sqlite
                \(more)
                apps:
                  shop:
                    environment: {host: 127.0.0.1, port: 1}
                    key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}
                    topic: com.example.shop
                    webhook: {url: "https://localhost/hook", secrets_file: hook.secret}
                """, to: "pushserve.yaml")
        }
        try configure()
        #expect(try await ground.pushserve("check").output.contains("ok       shop: webhook: "))
        let refused = try await ground.pushserve("check", "--connect")
        #expect(refused.status == 78)
        #expect(refused.output.contains("failed   shop: webhook: localhost has the address"), "\(refused.output)")
        try configure("webhooks: {allow: [localhost]}")
        let allowed = try await ground.pushserve("check", "--connect")
        #expect(allowed.output.contains("ok       shop: webhook: "), "\(allowed.output)")
    }

    @Test func `a key for an app that the configuration does not have is refused`() async throws {
        try ground.configure()
        let ended = try await ground.pushserve("key", "create", "--app", "shp", "--scope", "send")
        #expect(ended.status == 64 && ended.output.isEmpty)
        #expect(
            ended.errors.contains("The configuration has no app \"shp\". Did you mean \"shop\"?"), "\(ended.errors)")
        #expect(try await ground.pushserve("key", "create", "--app", "shop", "--scope", "send").status == 0)
    }

    @Test(arguments: [
        (["queue", "show", "abc"], "\"abc\" isn't the id of a job."),
        (["queue", "retry"], "Give either the ids of jobs, or --dead and --app."),
        (["queue", "cancel", "--all"], "--all is for the jobs of one app. Give --app, too."),
        (["queue", "cancel", "--suspected"], "--suspected is for the jobs of one app. Give --app, too."),
        (["queue", "cancel", "--suspected", "--all", "--app", "shop"], "Give either the ids of jobs"),
        (["queue", "purge", "--app", "shop"], "Give either --token TOKEN, or --all and --app."),
        (["queue", "purge", "--all"], "--all is for the jobs of one app. Give --app, too."),
        (
            ["queue", "list", "--dead", "--state", "waiting"],
            "--state, --outcome and --dead can't be combined: give one of them."
        ),
        (["queue", "list", "--limit", "0"], "--limit must be from 1 to 1000."),
        (["key", "create", "--scope", "send"], "Give either --app NAME or --all-apps."),
        (["key", "create", "--app", "a", "--scope", "sned"], "Unknown scope \"sned\". Did you mean \"send\"?"),
        (["key", "create", "--app", "a b c!", "--scope", "send"], "isn't a name for an app"),
        (["rnu"], "rnu"),
        (["run", "--cnofig", "x"], "Unknown option '--cnofig'. Did you mean --config?"),
        (["run", "--hlep"], "Unknown option '--hlep'. Did you mean --help?"),
        (["run", "--port", "9000"], "Unknown option '--port'. The address is \"listen\" in the configuration"),
        (["hlep"], "Did you mean help?"),
        (["postgres://pushserve:not-to-be-shown-anywhere@db/pushserve"], "\"postgres://[user]@db/pushserve\""),
    ])
    func `a wrong command line is refused on one line`(arguments: [String], message: String) async throws {
        let ended = try await ground.start(arguments).end()
        #expect(ended.status == 64)
        #expect(ended.output.isEmpty)
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains(message), "\(ended.errors)")
    }

    @Test func `a database that does not exist is not created by looking at it`() async throws {
        let ended = try await ground.pushserve("queue", "stats", "--database", "nothing.sqlite")
        #expect(ended.status == 66)
        #expect(ended.errors.contains("There is no database"))
        #expect(!FileManager.default.fileExists(atPath: ground.path("nothing.sqlite")))
    }

    @Test func `a purge needs a device token`() async throws {
        let ended = try await ground.pushserve("queue", "purge", "--token", "xyz", "--database", "nothing.sqlite")
        #expect(ended.status == 65)
    }
}
