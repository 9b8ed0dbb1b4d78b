import Foundation
import TestSupport
import Testing

/// The `openssl` command in a folder of its own: the second opinion on what we write, and the maker of what we read.
///
/// No private key is committed; those that tests need are made here and are gone with the folder.
final class OpenSSLCommand {
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
    }

    var folder: URL { temporary.url }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try temporary.write(bytes, to: name)
    }

    func read(_ name: String) throws -> [UInt8] {
        try temporary.read(name)
    }

    /// Runs one command line (without quoting) and expects success.
    @discardableResult
    func run(_ line: String) throws -> String {
        let result = try attempt(line)
        try #require(result.status == 0, "openssl \(line): \(result.output)")
        return result.output
    }

    /// Runs a command whose arguments may have spaces in them, and expects success.
    @discardableResult
    func run(_ arguments: [String]) throws -> String {
        let result = try attempt(arguments)
        try #require(result.status == 0, "openssl \(arguments): \(result.output)")
        return result.output
    }

    func attempt(_ line: String) throws -> (status: Int32, output: String) {
        try attempt(line.split(separator: " ").map(String.init))
    }

    private func attempt(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try attempt("openssl", arguments)
    }

    /// Runs another program in the folder and expects success.
    func run(program: String, _ arguments: [String]) throws {
        let result = try attempt(program, arguments)
        try #require(result.status == 0, "\(program) \(arguments): \(result.output)")
    }

    /// Whether another program can be run in the folder, and succeeds.
    func succeeds(program: String, _ arguments: [String]) -> Bool {
        (try? attempt(program, arguments).status) == 0
    }

    private func attempt(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
