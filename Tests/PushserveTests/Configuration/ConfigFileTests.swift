import PushPlatform
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
        #expect(Variables(["A": ""])["A"] == nil)
        #expect(Variables([:])["A"] == nil)
        #expect(Variables(["A": "b"])["A"] == "b")
    }
}
