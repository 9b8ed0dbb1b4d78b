import Foundation
import NIOConcurrencyHelpers
import PushWire
import TestSupport
import Testing

extension Ended {
    /// The lines of the output as objects.
    var objects: [[String: Any]] {
        outputLines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
}

/// The built program.
enum BuiltPushserve {
    /// `scripts/test` says where it is built; otherwise the debug build of this clone.
    static let url =
        ProcessInfo.processInfo.environment["PUSHSERVE_BINARY"].map { URL(filePath: $0) }
        ?? Repository.url(".build/debug/pushserve")
}

/// A folder in which the program runs as if it were alone on the machine. It is gone with the test.
final class Ground: Sendable {
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
    }

    var folder: URL { temporary.url }

    func path(_ name: String) -> String { temporary.path(name) }

    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try temporary.write(text, to: name, mode: mode)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) throws -> String {
        try temporary.write(bytes, to: name, mode: mode)
    }

    /// Writes a key and a configuration with one app, `shop`.
    @discardableResult
    func configure(
        listen: String = "127.0.0.1:0", database: String = "queue.sqlite", _ more: String = ""
    ) throws -> String {
        try write(SampleKey.pem, to: "AuthKey_ABC123DEFG.p8")
        return try write(
            """
            listen: \(listen)
            database: \(database)
            apps:
              shop:
                environment: sandbox
                key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}
                topic: com.example.shop
            \(more)
            """, to: "pushserve.yaml")
    }

    /// Runs the program to its end.
    func pushserve(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws
        -> Ended
    {
        let ended = try await start(arguments, environment: environment, input: input).end()
        #expect(!ended.wasTooSlow, "pushserve \(arguments) did not end in time")
        return ended
    }

    func start(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", seconds: Int = 600
    ) throws -> RunningProgram {
        try start(
            BuiltPushserve.url, arguments, environment: ["LC_ALL": "C.UTF-8"].merging(environment) { $1 }, input: input,
            seconds: seconds)
    }

    /// Starts another program of the machine.
    func start(tool command: [String]) throws -> RunningProgram {
        try start(
            URL(filePath: "/usr/bin/env"), command,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
    }

    private func start(
        _ file: URL, _ arguments: [String], environment: [String: String], input: String = "", seconds: Int = 600
    ) throws -> RunningProgram {
        let inputFile = URL(filePath: try write(input, to: "input-\(UUID().uuidString)"))
        return try RunningProgram(
            file, arguments, environment: environment, folder: folder, input: FileHandle(forReadingFrom: inputFile),
            limit: .seconds(seconds))
    }
}

/// A provider key that nobody else has, made once for the process.
enum SampleKey {
    static let pem: [UInt8] = (try? Array(SigningKey.generate().pem())) ?? []
}
