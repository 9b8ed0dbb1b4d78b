package import Foundation
package import PushProvider

/// The set that certs.example/make.sh makes, once for the process; it is gone with the process.
package struct CertificateSet {
    package static let passphrase = "example"

    package let folder: URL

    /// Throws what went wrong when the set was made.
    package static func shared() throws -> CertificateSet {
        try made.get()
    }

    package func path(_ name: String) -> String {
        folder.appending(path: name).path()
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    package func identity(_ name: String, now: Date = Date()) throws -> PushIdentity {
        try PushIdentity(p12File: path(name), passphrase: .example, now: now)
    }

    private static let made = Result { try CertificateSet() }
    // Not isolated: `init` sets it, once and under the lock of `made`; the only reader is the end of the process. What `atexit`
    // is given can capture nothing, so it cannot be a constant of the set.
    nonisolated(unsafe) private static var madeFolder: URL?

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID().uuidString)")
        Self.madeFolder = folder
        atexit { CertificateSet.madeFolder.map { _ = try? FileManager.default.removeItem(at: $0) } }
        let script = Repository.url("certs.example/make.sh")
        let process = Process()
        let pipe = Pipe()
        process.executableURL = script
        process.arguments = [folder.path()]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailed(command: "certs.example/make.sh", output: String(decoding: output, as: UTF8.self))
        }
    }
}

extension Passphrase {
    /// The passphrase of the set.
    package static let example = Passphrase(CertificateSet.passphrase)
}
