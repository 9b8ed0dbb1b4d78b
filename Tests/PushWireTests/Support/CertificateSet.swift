import Foundation
import PushWire
import Testing

/// The set that certs.example/make.sh makes, once for the process; it is gone with the process.
struct CertificateSet {
    static let passphrase = "example"

    let folder: URL

    /// Throws what went wrong when the set was made.
    static func shared() throws -> CertificateSet {
        try made.get()
    }

    func path(_ name: String) -> String {
        folder.appending(path: name).path()
    }

    func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    private static let made = Result { try CertificateSet() }
    // Not isolated: `init` sets it, once and under the lock of `made`; the only reader is the end of the process. What `atexit`
    // is given can capture nothing, so it cannot be a constant of the set.
    nonisolated(unsafe) private static var madeFolder: URL?

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID().uuidString)")
        Self.madeFolder = folder
        atexit { CertificateSet.madeFolder.map { _ = try? FileManager.default.removeItem(at: $0) } }
        let script = URL(filePath: #filePath).appending(path: "../../../../certs.example/make.sh").standardized
        let process = Process()
        let pipe = Pipe()
        process.executableURL = script
        process.arguments = [folder.path()]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(String(decoding: output, as: UTF8.self))")
    }
}
