package import Foundation
import NIOConcurrencyHelpers
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
    // Not a property of the set: a function for `atexit` can capture nothing.
    private static let temporary = NIOLockedValueBox<TemporaryFolder?>(nil)

    private init() throws {
        let temporary = try TemporaryFolder()
        folder = temporary.url.appending(path: "certificates")
        Self.temporary.withLockedValue { $0 = temporary }
        atexit { CertificateSet.temporary.withLockedValue { $0 = nil } }
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

extension PushPassphrase {
    /// The passphrase of the set.
    package static let example = PushPassphrase(CertificateSet.passphrase)
}
