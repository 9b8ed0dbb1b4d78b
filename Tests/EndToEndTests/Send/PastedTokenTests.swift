import Foundation
import TestSupport
import Testing

/// Device tokens as people paste them.
@Suite(.takingTurns) struct PastedTokenTests {
    private static let line = #"deviceToken.map { String(format: "%02x", $0) }.joined()"#
    private static let short = "5f3ad1c07b9e4286"

    private func dryRun(_ workspace: Workspace, _ tokens: [String], _ more: String...) async throws -> Ended {
        let key = try await workspace.makeKey()
        return try await workspace.pushsend(
            ["send"] + tokens + ["--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app", "-m", "x"]
                + ["--dry-run"] + more)
    }

    @Test func `an optional and a whole description are understood, with a note`() async throws {
        let (workspace, token) = (try Workspace(), RunningMock.token)
        let optional = try await dryRun(workspace, [#"Optional("\#(token)")"#])
        #expect(optional.status == 0)
        #expect(optional.errorLines.contains("note: Optional(...) around the device token was dropped"))
        #expect(optional.output.contains("/3/device/\(token)\n"))
        let described = try await dryRun(workspace, ["token: {length = 32, bytes = 0x\(token)}"])
        #expect(described.status == 0)
        #expect(described.output.contains("/3/device/\(token)\n"))
    }

    @Test func `a device token that is given twice, in whatever form, gets one push and a note`() async throws {
        let (workspace, token) = (try Workspace(), RunningMock.token)
        let twice = try await dryRun(workspace, [token, "<\(token.uppercased())>"])
        #expect(twice.status == 0 && twice.errors.contains("is given twice; it gets one push"), "\(twice.errors)")
        #expect(twice.output.components(separatedBy: "/3/device/").count == 2, "\(twice.output)")
    }

    @Test(arguments: [
        ("32 bytes", line), ("Optional(32 bytes)", line),
        ("{length = 32, bytes = 0x5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286 ... 7b9e4286 }", line),
        ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "getDevicePushTokenAsync()"),
        ("cR3fVq0aTk2dB1xYz9uWpL:APA91b" + String(repeating: "Hq7-x_K2", count: 16), "Firebase Cloud Messaging"),
        ("0e4f1a52-3b7d-4b0e-9c39-6cdb45a2d8f1", "OneSignal"),
    ])
    func `what is no token is refused by its name, with the way out`(text: String, words: String) async throws {
        let workspace = try Workspace()
        let ended = try await dryRun(workspace, [text])
        #expect(ended.status == 65)
        #expect(ended.output == "")
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains(words), "\(ended.errors)")
        let inspected = try await workspace.pushsend("inspect", text)
        #expect(inspected.status == 65)
        #expect((inspected.output + inspected.errors).contains(words), "\(inspected.output)\(inspected.errors)")
    }

    @Test func `an unusual length is a warning, of many tokens in one line`() async throws {
        let workspace = try Workspace()
        let one = try await dryRun(workspace, [Self.short])
        #expect(one.status == 0)
        let warnings = one.errorLines.filter { $0.contains("device-token-length") }
        #expect(
            warnings == [
                """
                pushsend: warning: device token: "5f3ad1c0…4286" has 16 hex digits. Today device tokens of apps have 64. \
                Copy the complete device token that the app prints. [device-token-length]
                """
            ])
        let many = try await dryRun(workspace, (1...40).map { "5f3ad1c07b9e42\($0 + 10)" } + [RunningMock.token])
        #expect(many.errorLines.filter { $0.contains("device-token-length") }.count == 1)
        #expect(many.errors.contains("(and 39 others)"))
        #expect(!(try await dryRun(workspace, [RunningMock.token])).errors.contains("warning"))
        #expect(!(try await dryRun(workspace, [Self.short], "--no-lint")).errors.contains("warning"))
        #expect(try await workspace.pushsend("explain", "device-token-length").status == 0)
    }

    @Test func `a mock takes any length without a word`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.pushsend(
                "send", Self.short, "--mock", "--topic", "com.example.app", "-m", "x",
                environment: ["PUSHSEND_STATE": mock.workspace.path("mock")])
            #expect(ended.status == 0)
            #expect(!ended.errors.contains("warning"))
        }
    }

    // MARK: Campaigns

    @Test func `a campaign names the first lines, and counts lengths`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let lines = (1...30).map { _ in "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]" } + [RunningMock.token]
        func check(_ lines: [String]) async throws -> Ended {
            try workspace.write((["token"] + lines).joined(separator: "\n") + "\n", to: "people.csv")
            return try await workspace.pushsend(
                "batch", "people.csv", "--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app",
                "-e", "sandbox", "-m", "Hello", "--dry-run")
        }
        let foreign = try await check(lines)
        #expect(foreign.status == 65)
        #expect(foreign.errors.contains("people.csv:2: ") && foreign.errors.contains("exp.host"), "\(foreign.errors)")
        #expect((foreign.output + foreign.errors).split(separator: "\n").count < 40)
        let short = try await check([RunningMock.token, Self.short, "5f3ad1c07b9e4287"])
        #expect(short.status == 0, "\(short.errors)")
        let warnings = (short.output + short.errors).split(separator: "\n").filter {
            $0.contains("device-token-length")
        }
        #expect(warnings.contains { $0.hasPrefix("people.csv:3: warning: device token: ") }, "\(warnings)")
    }
}
