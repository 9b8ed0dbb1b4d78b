import Foundation
import TestSupport
import Testing

/// What a `pushsend.yaml` that came with a cloned repository can do, and what it cannot; and which values of a profile belong together.
@Suite(.takingTurns) struct ClonedProjectTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private static let config = "home/.config/pushsend/config.yaml"
    private static let mine = String(repeating: "a", count: 64)
    private static let theirs = String(repeating: "e", count: 64)

    /// The user's file, and the clone's.
    private func files(user: String, project: String) async throws {
        _ = try await workspace.makeKey()
        _ = try await workspace.run(["mkdir", "-p", workspace.path("home/.config/pushsend")])
        let key =
            "key: \(workspace.path("AuthKey_ABC123DEFG.p8"))\nteam_id: \(Workspace.teamID)\ntopic: com.example.app\n"
        try workspace.write(key + user, to: Self.config)
        try workspace.write(project, to: "pushsend.yaml", mode: 0o644)
    }

    private func dryRun(_ words: String...) async throws -> Ended {
        try await workspace.pushsend(["send"] + words + ["-m", "secret", "--dry-run"])
    }

    @Test(arguments: [
        // Another profile, which the clone chooses.
        (
            "profiles: {coffee: {devices: {phone: \(mine)}}}\n",
            "profile: evil\nprofiles: {evil: {devices: {phone: \(theirs)}}}\n"
        ),
        // The same nickname for all profiles of the clone, against a profile of the user that is not chosen.
        ("profiles: {coffee: {devices: {phone: \(mine)}}}\n", "devices: {phone: \(theirs)}\n"),
        // The clone agrees with the lowest of the user's devices, but not with the one that counts.
        (
            "profile: coffee\nprofiles: {coffee: {devices: {phone: \(mine)}}}\ndevices: {phone: \(theirs)}\n",
            "devices: {phone: \(theirs)}\n"
        ),
    ])
    func `a nickname of the user's file is never another device`(user: String, project: String) async throws {
        try await files(user: user, project: project)
        let named = try await dryRun("phone")
        #expect(
            named.status == 78 && named.errors.contains("\"phone\" means different devices"),
            "\(named.output)\(named.errors)"
        )
        let unnamed = try await dryRun()
        #expect(unnamed.status != 0 && !unnamed.output.contains(Self.theirs), "\(unnamed.output)")
        let shown = try await workspace.pushsend("profile", "show")
        #expect(shown.output.contains("(refused: eeeeeeee"), "\(shown.output)")
    }

    @Test func `the only device of a clone is not sent to unless it is named`() async throws {
        try await files(user: "", project: "devices: {phone: \(Self.theirs)}\n")
        #expect(try await dryRun().status == 64)
        let named = try await dryRun("phone")
        #expect(named.status == 0 && named.output.contains(Self.theirs), "\(named.errors)")
    }

    @Test func `two profiles of a clone may use one nickname`() async throws {
        try await files(
            user: "",
            project: "profile: tea\nprofiles: {tea: {devices: {tab: \(Self.mine)}}}\ndevices: {tab: \(Self.theirs)}\n")
        let ended = try await dryRun("tab")
        #expect(ended.status == 0 && ended.output.contains(Self.mine), "\(ended.errors)")
    }

    @Test func `the question about trust shows the nicknames that change`() async throws {
        try await files(
            user: "profiles: {coffee: {devices: {phone: \(Self.mine)}}}\n",
            project: "profile: tea\nprofiles: {tea: {devices: {phone: \(Self.theirs)}}}\n")
        let asked = try await workspace.pushsend("profile", "trust")
        #expect(asked.status == 64)
        #expect(asked.errors.contains("profile: tea"))
        #expect(
            asked.errors.contains("device phone: eeeeeeee…eeee, instead of yours, aaaaaaaa…aaaa"), "\(asked.errors)")
    }

    @Test func `a linked project file is neither shown nor changed`() async throws {
        try await files(user: "", project: "")
        try workspace.write("machine github.com login me password secretword\n", to: "netrc")
        _ = try await workspace.run(["ln", "-sf", "netrc", "pushsend.yaml"])
        let read = try await dryRun(Self.mine)
        #expect(read.status == 78 && read.errors.contains("is a link"), "\(read.errors)")
        #expect(!read.errors.contains("secretword"))
        _ = try await workspace.run(["ln", "-sf", Self.config, "pushsend.yaml"])
        let before = try workspace.read(Self.config)
        let written = try await workspace.pushsend("profile", "add", "x", "--topic", "com.example.x", "--project")
        #expect(written.status == 78, "\(written.errors)")
        #expect(try workspace.read(Self.config) == before)
    }

    @Test func `a list of trusted files that others can write trusts nothing`() async throws {
        try await files(user: "", project: "key: elsewhere.p8\nkey_id: EEEEEEEEEE\n")
        #expect(try await workspace.pushsend("profile", "trust", "--yes").status == 0)
        let list = "home/state/pushsend/trusted"
        #expect(try await dryRun(Self.mine).errors.contains("elsewhere.p8"))
        try await workspace.prepare("chmod 666 \(list)")
        let ended = try await dryRun(Self.mine)
        #expect(ended.status == 0 && ended.output.contains("ABC123DEFG"), "\(ended.output)\(ended.errors)")
    }

    @Test func `a project file keeps its mode`() async throws {
        try await files(user: "", project: "topic: com.example.app\n")
        let ended = try await workspace.pushsend("profile", "add", "x", "--topic", "com.example.x", "--project")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try workspace.mode(of: "pushsend.yaml") == 0o644)
    }

    @Test func `a clone that chooses Apple's server instead of the user's one is noted`() async throws {
        try await files(user: "endpoint: localhost:1\n", project: "environment: production\n")
        let ended = try await dryRun(Self.mine)
        #expect(ended.output.contains("https://api.push.apple.com"), "\(ended.errors)")
        #expect(ended.errors.contains("note: pushsend.yaml:1 chooses production, instead of the server localhost:1"))
        let shown = try await workspace.pushsend("profile", "show")
        #expect(shown.output.contains("(not used: localhost:1)"), "\(shown.output)")
        let json = JSON(parsing: try await workspace.pushsend("profile", "show", "--json").output)
        #expect(json["not_used"] == ["endpoint": "localhost:1"])
        #expect(json["settings"]?["environment"] == "production")
    }

    // MARK: What belongs together

    @Test func `the key of a profile does not take the key id of another one`() async throws {
        _ = try await workspace.makeKey()
        _ = try await workspace.run(["sh", "-c", "cp AuthKey_ABC123DEFG.p8 AuthKey_BBBBBBBBBB.p8"])
        try await files(
            user: "key_id: AAAAAAAAAA\nprofile: b\nprofiles: {b: {key: \(workspace.path("AuthKey_BBBBBBBBBB.p8"))}}\n",
            project: "")
        let ended = try await dryRun(Self.mine)
        #expect(
            ended.output.contains("signed with key BBBBBBBBBB of team \(Workspace.teamID)"),
            "\(ended.output)\(ended.errors)")
    }

    @Test func `values that contradict each other are the fault of the flags, not of the file`() async throws {
        let ended = try await workspace.pushsend(
            "profile", "add", "tea", "-e", "production", "--endpoint", "localhost:2197")
        #expect(ended.status == 64 && ended.errors.contains("don't fit together"), "\(ended.errors)")
        #expect(!workspace.exists(Self.config))
        let twice = try await workspace.pushsend(
            "profile", "add", "tea", "--device", "phone=\(Self.mine)", "--device", "phone=\(Self.theirs)")
        #expect(twice.status == 64 && twice.errors.contains("twice"), "\(twice.errors)")
    }

    @Test(arguments: [
        ("key: gone.p8\nteam_id: DEF123GHIJ\nkey_id: ABC123DEFG\n", "1:6"),
        ("topic: com.example.app\np12: gone.p12\n", "2:6"), ("cert: gone.pem\n", "1:7"),
        ("key: AuthKey_ABC123DEFG.p8\nteam_id: DEF123GHIJ\ncacert: gone.pem\n", "3:9"),
    ])
    func `a missing file is reported where the configuration names it`(file: String, position: String) async throws {
        _ = try await workspace.makeKey()
        _ = try await workspace.run(["mkdir", "-p", workspace.path("home/.config/pushsend")])
        let whole = file.replacingOccurrences(of: "AuthKey", with: workspace.path("AuthKey"))
        try workspace.write(whole, to: Self.config)
        let ended = try await dryRun(Self.mine, "--topic", "com.example.app")
        #expect(ended.status == 66, "\(ended.errors)")
        #expect(ended.errors.contains("config.yaml:\(position): "), "\(ended.errors)")
        #expect(ended.errors.contains("Correct it with"), "\(ended.errors)")
    }

    @Test func `a value and a nickname can be removed from a profile`() async throws {
        let added = try await workspace.pushsend(
            "profile", "add", "tea", "--topic", "com.example.tea", "--proxy", "http://localhost:1", "--device",
            "phone=\(Self.mine)", "--device", "tab=\(Self.theirs)")
        #expect(added.status == 0, "\(added.errors)")
        let changed = try await workspace.pushsend(
            "profile", "add", "tea", "--update", "--unset", "proxy", "--remove-device", "tab")
        #expect(changed.status == 0, "\(changed.errors)")
        let file = try workspace.read(Self.config)
        #expect(!file.contains("proxy") && !file.contains("tab") && file.contains("phone"), "\(file)")
        for words in [["--unset", "proxy"], ["--remove-device", "tab"], ["--unset", "nonsense"]] {
            let refused = try await workspace.pushsend(["profile", "add", "tea", "--update"] + words)
            #expect(refused.status == 64 && refused.errors.contains("The profile has no"), "\(refused.errors)")
        }
        #expect(try await workspace.pushsend("profile", "add", "tea", "--unset", "topic").status == 64)
    }
}
