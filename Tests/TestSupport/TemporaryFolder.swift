package import Foundation

/// A folder for one test, which only its owner may enter. It is removed with this object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "push-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func path(_ name: String) -> String { url.appending(path: name).path() }

    // MARK: Files

    /// Writes a file, and returns its path. By default, only the owner may read it.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    @discardableResult
    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try write(text.utf8, to: name, mode: mode)
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: url.appending(path: name)))
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    package func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    package func files(in name: String) throws -> Set<String> {
        try Set(FileManager.default.contentsOfDirectory(atPath: path(name)))
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: url.appending(path: name))
    }

    // MARK: Keys

    /// Runs one line of the `openssl` command in the folder and expects success. So no private key is committed.
    package func openssl(_ line: String) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + line.split(separator: " ").map(String.init)
        process.currentDirectoryURL = url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CommandFailed(command: "openssl \(line)", output: output) }
    }
}

/// The files of this repository.
package enum Repository {
    package static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The URL of a file or folder.
    /// - Parameter path: Its path from the root.
    /// - Returns: The URL.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    /// The text of a file; empty if it cannot be read, so that a test says what it misses.
    /// - Parameter path: Its path from the root.
    /// - Returns: The text.
    package static func text(_ path: String) -> String {
        (try? String(contentsOf: url(path), encoding: .utf8)) ?? ""
    }
}
