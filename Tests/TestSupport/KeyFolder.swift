package import Foundation
package import PushProvider
package import PushWire

/// Key files in a folder of their own, gone with it: no private key is committed.
package final class KeyFolder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func path(_ name: String) -> String { url.appending(path: name).path() }

    /// Writes a file that only its owner may read, unless told otherwise.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: url.appending(path: name)))
    }

    /// Runs one line of the `openssl` command in the folder and expects success.
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

extension ProviderKey {
    package static let sampleKeyID = "ABC123DEFG"
    package static let sampleTeamID = "DEF123GHIJ"

    /// A key that nobody else has.
    package static func sample(
        _ key: SigningKey? = nil, keyID: String = sampleKeyID, teamID: String = sampleTeamID
    ) throws -> ProviderKey {
        try ProviderKey(p8: (key ?? SigningKey.generate()).pem(), keyID: keyID, teamID: teamID)
    }
}
