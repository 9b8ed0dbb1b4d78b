import Foundation
import TestSupport
import Testing

/// A folder in which programs run as if they were alone on the machine: their own home, no `PUSHSEND_*` from outside.
/// It is gone with the test.
final class Workspace: Sendable {
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.appending(path: "home"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    // MARK: Files

    var folder: URL { temporary.url }

    func path(_ name: String) -> String { temporary.path(name) }

    func exists(_ name: String) -> Bool { temporary.exists(name) }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try temporary.write(text, to: name, mode: mode)
    }

    func read(_ name: String) throws -> String { try temporary.text(name) }

    func mode(of name: String) throws -> Int? { try temporary.mode(of: name) }

    // MARK: Programs

    /// Runs `pushsend` to its end.
    func pushsend(
        _ arguments: String..., environment: [String: String] = [:], input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await pushsend(arguments, environment: environment, input: input, sourceLocation: sourceLocation)
    }

    func pushsend(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let program = try startPushsend(arguments, environment: environment, input: input)
        let ended = await program.end()
        #expect(!ended.wasTooSlow, "pushsend did not end in time", sourceLocation: sourceLocation)
        if arguments.first != "jwt" {
            let secrets = secrets(in: ended)
            #expect(secrets.isEmpty, "pushsend \(arguments) printed a secret", sourceLocation: sourceLocation)
        }
        return ended
    }

    func startPushsend(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", linesRead: Int = .max,
        openFiles: Int? = nil, limit: Duration = .seconds(300)
    ) throws -> RunningProgram {
        try start(
            BuiltProgram.pushsend, Self.patient(arguments), environment: environment, input: input,
            linesRead: linesRead, openFiles: openFiles, limit: limit)
    }

    /// Gives a push and its connection all the time that a slow machine takes, unless the arguments have a time limit of their own.
    private static func patient(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, ["send", "batch", "doctor"].contains(command),
            arguments != [command, "help"], !arguments.contains(where: { $0.hasPrefix("--timeout") })
        else { return arguments }
        return [command, "--timeout", "4m"] + arguments.dropFirst()
    }

    /// Starts a program with a limit on its open files; `nil` for that of the tests.
    func start(
        _ file: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        linesRead: Int = .max, openFiles: Int?, limit: Duration = .seconds(300)
    ) throws -> RunningProgram {
        guard let openFiles else {
            return try start(
                file, arguments, environment: environment, input: input, linesRead: linesRead, limit: limit)
        }
        let script = "ulimit -n \(openFiles) && exec \"$0\" \"$@\""
        return try start(
            URL(filePath: "/bin/sh"), ["-c", script, file.path()] + arguments, environment: environment,
            input: input, linesRead: linesRead, limit: limit)
    }

    /// Runs another program of the machine to its end.
    func run(_ command: [String], input: String = "", limit: Duration = .seconds(300)) async throws -> Ended {
        let ended = try await start(URL(filePath: "/usr/bin/env"), command, input: input, limit: limit).end()
        #expect(!ended.wasTooSlow, "\(command) did not end in time")
        return ended
    }

    /// Runs a script of `sh` to its end.
    func shell(_ script: String) async throws -> Ended {
        try await run(["sh", "-c", script])
    }

    /// Runs a script of `sh` that only prepares something, and expects success.
    func prepare(_ script: String) async throws {
        let ended = try await shell(script)
        try #require(ended.status == 0, "\(script): \(ended.errors)")
    }

    func start(
        _ file: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        linesRead: Int = .max, limit: Duration = .seconds(300)
    ) throws -> RunningProgram {
        let inputFile = "input-\(UUID().uuidString)"
        try write(input, to: inputFile)
        return try start(
            file, arguments, environment: environment,
            from: try FileHandle(forReadingFrom: folder.appending(path: inputFile)), linesRead: linesRead, limit: limit)
    }

    /// With whatever it is that gives its standard input.
    func start(
        _ file: URL, _ arguments: [String], environment: [String: String] = [:], from input: FileHandle,
        linesRead: Int = .max, limit: Duration = .seconds(300)
    ) throws -> RunningProgram {
        try RunningProgram(
            file, arguments,
            environment: [
                "HOME": path("home"), "XDG_STATE_HOME": path("home/state"), "LC_ALL": "C.UTF-8",
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            ].merging(environment) { _, new in new },
            folder: folder, input: input, linesRead: linesRead, limit: limit)
    }

    // MARK: Keys

    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"

    /// Makes a key as Apple's portal hands it out; returns the name of its file.
    func makeKey(named name: String = "AuthKey_\(keyID).p8") async throws -> String {
        try await prepare("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(name)")
        try await prepare("chmod 600 \(name)")
        return name
    }

    // MARK: Secrets

    /// What must be in no output but that of `jwt`: whole provider tokens, and what is in a key file of this folder.
    func secrets(in ended: Ended) -> [String] {
        let text = ended.output + ended.errors
        let tokens = text.matches(of: /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{20,}/).map { String($0.output) }
        return tokens + keyBodies.filter { text.contains($0) }
    }

    private var keyBodies: [String] {
        let names = FileManager.default.enumerator(atPath: folder.path())?.allObjects as? [String] ?? []
        let keyFiles = names.filter { $0.hasSuffix(".p8") || $0.hasSuffix("-key.pem") }
        let keys = keyFiles.compactMap { try? read($0) }.filter { $0.contains("PRIVATE KEY") }
        let lines = keys.flatMap { $0.components(separatedBy: "\n") }
        return lines.filter { !$0.hasPrefix("-----") && $0.utf8.count >= 16 }
    }
}
