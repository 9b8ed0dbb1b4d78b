import ArgumentParser
import PushCommandLine
import PushPlatform
import Testing

@testable import pushsend

@Suite struct SettingsTests {
    private func config(_ text: String, _ path: String = "/project/pushsend.yaml") throws -> ReadConfig {
        let folder = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        return ReadConfig(
            path: path, absolutePath: path, bytes: Array(text.utf8),
            file: try ConfigReader(file: path, folder: folder, home: nil).read(Array(text.utf8)))
    }

    private func settings(
        profile: String? = nil, project: String? = nil, isTrusted: Bool = false, user: String? = nil,
        _ environment: Variables = [:]
    ) throws -> Settings {
        try Settings(
            profile: profile, project: try project.map { try config($0) }, isTrusted: isTrusted,
            user: try user.map { try config($0, "/home/config.yaml") }, environment: environment)
    }

    private static let user = """
        profile: a
        topic: user.common
        port: 2197
        profiles:
          a:
            topic: user.a
            key: a.p8
            key_id: AAAAAAAAAA
            team_id: TEAMTEAMTE
            devices: {phone: 5f3a}
          b:
            p12: b.p12
            identity: me
            passphrase_command: show b
        """

    @Test func `variables override the project, and that overrides the user`() throws {
        let project = "topic: project.common\nprofiles: {a: {topic: project.a}}"
        func topics(_ profile: String?, _ environment: Variables = [:]) throws -> [String] {
            try settings(profile: profile, project: project, user: Self.user, environment).all(.topic).map(\.value)
        }
        #expect(try topics(nil) == ["project.a", "project.common", "user.a", "user.common"])
        #expect(try topics("b") == ["project.common", "user.common"])
        #expect(try topics("b", ["PUSHSEND_TOPIC": "variable"]) == ["variable", "project.common", "user.common"])
        #expect(try topics("b", ["PUSHSEND_TOPIC": ""]) == ["project.common", "user.common"])
    }

    @Test func `a flag, a variable, the project and the user choose the profile, in this order`() throws {
        let project = "profile: b"
        #expect(try settings(user: Self.user).profile == "a")
        #expect(try settings(project: project, user: Self.user).profile == "b")
        #expect(try settings(project: project, user: Self.user, ["PUSHSEND_PROFILE": "a"]).profile == "a")
        #expect(try settings(profile: "b", user: Self.user, ["PUSHSEND_PROFILE": "a"]).profile == "b")
        #expect(try settings().profile == nil)
    }

    @Test func `a misspelt variable gets a warning with the one that was probably meant`() {
        let misspelt = Settings.misspeltVariables([
            "PUSHSEND_TOPPIC": "a", "PUSHSEND_KEYPEM": "b", "PUSHSEND_TOPIC": "c", "PUSHSEND_MOCK_TOKEN": "d",
            "PUSHSEND_BINARY": "e", "SEND_TOPPIC": "f",
        ])
        #expect(
            misspelt == [
                "warning: there is no variable PUSHSEND_KEYPEM. Did you mean PUSHSEND_KEY_PEM?",
                "warning: there is no variable PUSHSEND_TOPPIC. Did you mean PUSHSEND_TOPIC?",
            ])
        let known = SettingName.allCases.map(\.variable) + Fallback.allCases.map(\.variable)
        #expect(Settings.misspeltVariables(Variables(Dictionary(uniqueKeysWithValues: known.map { ($0, "x") }))) == [])
    }

    @Test func `a profile that does not exist is named, with the one that was probably meant`() throws {
        do {
            _ = try settings(profile: "c", user: "profiles: {coffee: {}, tea: {}}")
            Issue.record("there is no profile c")
        } catch let failure as CommandFailure {
            #expect(failure.status == .badConfiguration && failure.message.contains("The profiles are coffee, tea."))
        }
        do {
            _ = try settings(user: "profiles: {coffee: {}}", ["PUSHSEND_PROFILE": "cofee"])
            Issue.record("there is no profile cofee")
        } catch let failure as CommandFailure {
            #expect(
                failure.message == "PUSHSEND_PROFILE is \"cofee\", and there is no such profile. Did you mean coffee?")
        }
        // A project names the profile that its developers have. One without it can use flags.
        let cloned = try settings(project: "profile: coffee")
        #expect(cloned.warnings.count == 1 && cloned.warnings[0].contains("pushsend profile add coffee"))
    }

    @Test func `what belongs to a key is not used with another key`() throws {
        let settings = try settings(user: Self.user)
        #expect(try settings.credentials()?.isFile == true)
        var options = try SignerOptions.parse([])
        #expect(options.ownKeyID(settings) == "AAAAAAAAAA")
        options.keyFile = "AuthKey_BBBBBBBBBB.p8"
        #expect(options.ownKeyID(settings) == "BBBBBBBBBB")
        #expect(options.ownTeamID(settings) == "TEAMTEAMTE")
        options.keyFile = "other.p8"
        options.keyID = "CCCCCCCCCC"
        #expect(options.ownKeyID(settings) == "CCCCCCCCCC")
    }

    @Test func `what belongs to a certificate is not used with another one`() throws {
        let settings = try settings(profile: "b", user: Self.user)
        let none = try SignerOptions.parse([])
        #expect(
            try IdentityOptions.parse([]).source(beside: none, settings) == .p12("/home/b.p12", name: "me"))
        #expect(
            try IdentityOptions.parse(["--p12", "c.p12"]).source(beside: none, settings) == .p12("c.p12", name: nil))
        #expect(settings.passphraseSource(ofFile: false) == nil)
        guard case .command(let command, "/home/") = settings.passphraseSource(ofFile: true) else {
            Issue.record("the command has no folder")
            return
        }
        #expect(command.value == "show b")
        // A mock has its own key.
        #expect(try IdentityOptions.parse([]).source(beside: try SignerOptions.parse(["--mock"]), settings) == nil)
    }

    @Test func `credentials of the highest precedence win as a whole`() throws {
        let settings = try settings(
            project: "key: p.p8\nteam_id: PPPPPPPPPP", isTrusted: true, user: Self.user, ["PUSHSEND_P12": "v.p12"])
        #expect(try settings.credentials() == .p12(Setting(value: "v.p12", origin: .variable("PUSHSEND_P12"))))
        #expect(throws: CommandFailure.self) {
            try self.settings(["PUSHSEND_P12": "v.p12", "PUSHSEND_KEY": "v.p8"]).credentials()
        }
    }

    @Test func `the server of the highest precedence wins, and a CA belongs to its endpoint`() throws {
        let user = "endpoint: localhost:1\ncacert: ca.pem"
        #expect(try settings(user: user).server?.endpoint?.value == "localhost:1")
        #expect(try settings(user: user).authorities(forFileEndpoint: true) == "/home/ca.pem")
        #expect(try settings(user: user).authorities(forFileEndpoint: false) == nil)
        let overridden = try settings(project: "environment: production", user: user)
        #expect(overridden.server?.endpoint == nil && overridden.server?.environment?.value == "production")
        #expect(try settings(user: "cacert: ca.pem").authorities(forFileEndpoint: false) == "/home/ca.pem")
    }

    private static let hostile = """
        profile: a
        topic: evil.topic
        environment: production
        key: ../../evil.p8
        team_id: EVILEVILEV
        passphrase_command: touch pwned
        proxy: http://evil:1
        cacert: evil.pem
        devices: {tablet: eeee}
        profiles: {a: {p12: evil.p12}}
        """

    @Test func `an untrusted project sets the topic, the environment and nicknames, and nothing else`() throws {
        let settings = try settings(project: Self.hostile, user: Self.user)
        #expect(settings.value(.topic) == "evil.topic")
        #expect(settings.server?.environment?.value == "production")
        #expect(try settings.token("tablet") == "eeee")
        for name in SettingName.allCases where name.needsTrust {
            #expect(settings.all(name).allSatisfy { $0.origin.description.hasPrefix("/home/") }, "\(name)")
        }
        #expect(Set(settings.untrusted.keys) == [.key, .teamID, .passphraseCommand, .proxy, .cacert, .p12])
        #expect(settings.warnings.contains { $0.contains("cacert, proxy, key, team_id, p12, passphrase_command") })
        #expect(settings.passphraseSource(ofFile: true) == nil)
        let trusted = try self.settings(project: Self.hostile, isTrusted: true, user: Self.user)
        #expect(trusted.value(.proxy) == "http://evil:1" && trusted.untrusted.isEmpty)
    }

    @Test func `an untrusted project does not redirect a nickname`() throws {
        let project = "devices: {phone: eeee}"
        #expect(throws: CommandFailure.self) {
            try settings(project: project, user: Self.user).token("phone")
        }
        #expect(try settings(project: project, isTrusted: true, user: Self.user).token("phone") == "eeee")
        #expect(try settings(project: "devices: {phone: 5f3a}", user: Self.user).token("phone") == "5f3a")
    }

    @Test func `an untrusted server stops a push, which would otherwise go to another server`() throws {
        let settings = try settings(project: "endpoint: localhost:8443", user: Self.user)
        #expect(throws: CommandFailure.self) { try settings.refuseOtherServer(isChosen: false) }
        #expect(throws: Never.self) { try settings.refuseOtherServer(isChosen: true) }
        let variable = try self.settings(
            project: "endpoint: localhost:8443", user: Self.user, ["PUSHSEND_ENVIRONMENT": "sandbox"])
        #expect(throws: Never.self) { try variable.refuseOtherServer(isChosen: false) }
    }

    @Test(arguments: [
        (["XDG_STATE_HOME": "/state", "HOME": "/home/ann"], "/state/pushsend"),
        (["XDG_STATE_HOME": "state", "HOME": "/home/ann"], "/home/ann/.local/state/pushsend"),
        (["HOME": "/"], "/.local/state/pushsend"), (["HOME": "relative"], nil), ([:], nil),
    ])
    func `the user's folder is the one of a variable, or in the home folder`(
        variables: [String: String], folder: String?
    ) {
        #expect(UserFolder.of("XDG_STATE_HOME", ".local/state", Variables(variables)) == folder)
    }
}
