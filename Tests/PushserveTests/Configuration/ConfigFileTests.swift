import PushCommandLine
import PushPlatform
import PushYAML
import Testing

@testable import pushserve

@Suite struct ConfigFileTests {
    @Test(arguments: [0o666, 0o620, 0o602])
    func `a file that others can change is refused`(mode: Int) throws {
        let ground = try Ground()
        let path = try ground.write("listen: 127.0.0.1:1", to: "pushserve.yaml", mode: mode)
        let failure = #expect(throws: CommandFailure.self) { try ConfigFile(path: path).read() }
        #expect(failure?.status == .badConfiguration)
        #expect(failure?.messages.first?.contains("chmod go-w") == true)
    }

    @Test func `a file that others can only read is read`() throws {
        let ground = try Ground()
        let path = try ground.write("listen: 127.0.0.1:1", to: "pushserve.yaml", mode: 0o644)
        #expect(try ConfigFile(path: path).read() == Array("listen: 127.0.0.1:1".utf8))
        #expect(
            ConfigFile(path: path).folder
                == String(ground.folder.path().dropLast(ground.folder.path().hasSuffix("/") ? 1 : 0)))
    }

    private func warnings(of ground: Ground, _ variables: [String: String] = [:]) throws -> [ConfigMistake] {
        try ServiceConfiguration.load(option: ground.path("pushserve.yaml"), Variables(variables)).warnings
    }

    @Test(
        arguments: [(0o600, false), (0o640, false), (0o644, true)],
        [
            "postgres://pushserve:secret@db.example.com/pushserve",
            "postgres://db.example.com/pushserve?password=secret",
        ])
    func `a password in a file that every user can read is warned of`(
        mode: (bits: Int, isOpen: Bool), database: String
    ) throws {
        let ground = try Ground()
        let path = try ground.configure(database: database)
        #expect(chmod(path, mode_t(mode.bits)) == 0)
        let warnings = try warnings(of: ground)
        #expect(warnings.count == (mode.isOpen ? 1 : 0))
        guard let warning = warnings.first else { return }
        #expect(warning.description.hasPrefix("\(path):2:11: This address has a password"))
        #expect(!warning.description.contains("secret"))
    }

    @Test func `a password in a variable, and an address without one, are no reason to hide the file`() throws {
        let ground = try Ground()
        let path = try ground.configure(database: "postgres://pushserve@db.example.com:5432/x")
        #expect(chmod(path, 0o644) == 0)
        #expect(try warnings(of: ground).isEmpty)
        try ground.configure()
        let variables = ["PUSHSERVE_DATABASE": "postgres://pushserve:secret@db.example.com/pushserve"]
        #expect(try warnings(of: ground, variables).allSatisfy { !$0.message.contains("password") })
    }

    @Test(arguments: [("queue.sqlite", false), ("other.sqlite", true), ("postgres://u:secret@db.example.com/x", true)])
    func `a variable that replaces another database of the file is warned of`(name: String, isOther: Bool) throws {
        let ground = try Ground()
        let file = try ground.configure()
        let database = name.contains(":") ? name : ground.path(name)
        let warnings = try warnings(of: ground, ["PUSHSERVE_DATABASE": database]).map(\.description)
        #expect(warnings.count == (isOther ? 1 : 0))
        #expect(warnings.allSatisfy { $0.hasPrefix("PUSHSERVE_DATABASE: ") && $0.contains("\(file):2:1") })
        #expect(warnings.allSatisfy { !$0.contains("secret") })
    }

    @Test(
        arguments: [
            ("PUSHSERVE_LISTN", "PUSHSERVE_LISTEN"), ("PUSHSERVE_TOPIK", "PUSHSERVE_TOPIC"),
            ("PUSHSERVE_DATABSE", "PUSHSERVE_DATABASE"), ("PUSHSERVE_SERVICE_HOST", nil), ("PUSHSERVE_URL", nil),
            ("PUSHSERVE_PORT_8080_TCP", nil), ("PUSHSERVE_CONFIG", nil),
        ] as [(String, String?)])
    func `a variable with a misspelt name is warned of, and one of another program is not`(
        name: String, meant: String?
    ) throws {
        let ground = try Ground()
        let path = try ground.configure(database: "queue.sqlite")
        #expect(chmod(path, 0o600) == 0)
        let warnings = try warnings(of: ground, [name: "x"]).map(\.description)
        #expect(warnings == (meant.map { ["\(name): There is no such variable. Did you mean \($0)?"] } ?? []))
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o620, true), (0o666, true)])
    func `a private key for HTTPS that others can use is warned of`(mode: Int, isOpen: Bool) throws {
        let ground = try Ground()
        for name in ["cert.pem", "tls-key.pem"] { try ground.write("x", to: name, mode: 0o644) }
        #expect(chmod(ground.path("tls-key.pem"), mode_t(mode)) == 0)
        try ground.configure("tls: {certificate: cert.pem, key: tls-key.pem}")
        let warnings = try warnings(of: ground).map(\.description)
        #expect(warnings.count == (isOpen ? 1 : 0))
        #expect(warnings.allSatisfy { $0.contains("tls-key.pem") && $0.contains("0600") })
    }

    @Test func `a file that does not exist, and a folder, are refused`() throws {
        let ground = try Ground()
        let missing = #expect(throws: CommandFailure.self) { try ConfigFile(path: ground.path("nowhere.yaml")).read() }
        #expect(missing?.status == .noSuchFile)
        let folder = #expect(throws: CommandFailure.self) { try ConfigFile(path: ground.folder.path()).read() }
        #expect(folder?.status == .badConfiguration)
    }

    @Test func `the option comes before the variable`() {
        let variables = Variables(["PUSHSERVE_CONFIG": "b.yaml"])
        #expect(ConfigFile.chosen(option: "a.yaml", variables)?.path == "a.yaml")
        #expect(ConfigFile.chosen(option: nil, variables)?.path == "b.yaml")
    }

    @Test func `an empty variable counts as none`() {
        #expect(Variables(["A": ""])[set: "A"] == nil)
        #expect(Variables([:])[set: "A"] == nil)
        #expect(Variables(["A": "b"])[set: "A"] == "b")
    }
}
