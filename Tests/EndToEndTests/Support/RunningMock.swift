import Foundation
import TestSupport
import Testing

/// A `pushsend mock` that runs for the length of a test.
final class RunningMock: Sendable {
    static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)
    static let topic = "com.example.app"

    let workspace: Workspace
    let program: RunningProgram
    /// Its ready line.
    let ready: JSON
    let port: Int

    private init(_ workspace: Workspace, _ flags: [String], openFiles: Int?) async throws {
        self.workspace = workspace
        program = try workspace.startPushsend(
            ["mock", "--json", "--port", "0", "--state", "mock"] + flags, openFiles: openFiles, limit: .seconds(3600))
        guard let line = await program.output.line(0) else {
            let ended = await program.end()
            throw NotReady(description: "The mock ended with \(ended.status): \(ended.errors)")
        }
        ready = JSON(parsing: line)
        port = try #require(ready["port"]?.integer)
    }

    struct NotReady: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs a mock around `body`; when it returns, the mock is stopped by Ctrl-C and has to end in order.
    ///
    /// - Returns: The lines of the requests that it has seen.
    @discardableResult
    static func with(
        _ flags: String..., in workspace: Workspace? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (RunningMock) async throws -> Void
    ) async throws -> [JSON] {
        try await with(flags, in: workspace, sourceLocation: sourceLocation, body)
    }

    /// The same, with flags in a list, and with a limit for the number of open files.
    @discardableResult
    static func with(
        _ flags: [String], in workspace: Workspace? = nil, openFiles: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (RunningMock) async throws -> Void
    ) async throws -> [JSON] {
        let mock = try await RunningMock(try workspace ?? Workspace(), flags, openFiles: openFiles)
        do {
            try await body(mock)
        } catch {
            mock.program.interrupt()
            _ = await mock.program.end()
            throw error
        }
        mock.program.interrupt()
        let ended = await mock.program.end()
        #expect(ended.status == 0, sourceLocation: sourceLocation)
        // It notes connections that ended badly, and nothing else.
        let complaints = ended.errorLines.filter { !$0.contains(" notice mock: ") }
        #expect(complaints.isEmpty, sourceLocation: sourceLocation)
        #expect(mock.workspace.secrets(in: ended).isEmpty, sourceLocation: sourceLocation)
        return ended.output.split(separator: "\n").dropFirst().map { JSON(parsing: String($0)) }
    }

    // MARK: Asking it

    /// Waits for the line of a request, counted from 1.
    func request(_ number: Int) async throws -> JSON {
        JSON(parsing: try #require(await program.output.line(number)))
    }

    /// The most memory that its process has used so far, in MiB; 0 where the system does not say.
    func peakMemory() throws -> Int {
        let id = try #require(JSON(parsing: workspace.read("mock/running.json"))["processID"]?.integer)
        let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        guard let peak = status.firstMatch(of: /VmHWM:\s*(\d+) kB/) else { return 0 }
        return (Int(peak.1) ?? 0) / 1024
    }

    var caFile: String { ready["ca_file"]?.string ?? "" }

    /// A provider token that it accepts.
    func providerToken() async throws -> String {
        let ended = try await workspace.pushsend("jwt", "--mock", "--state", "mock")
        return ended.output.trimmingCharacters(in: .newlines)
    }

    // MARK: Pushing to it

    /// `pushsend send` with the mock's own key, to its usual device and topic.
    func send(
        _ flags: String..., to tokens: [String] = [token], input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await send(flags, to: tokens, input: input, sourceLocation: sourceLocation)
    }

    func send(
        _ flags: [String], to tokens: [String] = [token], input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let usual = ["--mock", "--state", "mock", "--topic", Self.topic]
        return try await workspace.pushsend(
            ["send"] + tokens + (flags.contains("--topic") ? usual.dropLast(2) : usual) + flags,
            input: input, sourceLocation: sourceLocation
        )
    }

    /// `pushsend send` with a key of somebody else.
    func send(signedWith key: String, _ flags: String...) async throws -> Ended {
        try await workspace.pushsend(
            ["send", Self.token, "--key", key, "--team-id", Workspace.teamID, "--topic", Self.topic, "-m", "Hello"]
                + ["--endpoint", "localhost:\(port)", "--cacert", "mock/ca.pem"] + flags
        )
    }
}
