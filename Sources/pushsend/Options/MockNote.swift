import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The note that a running mock leaves in its state folder.
struct MockNote: Codable {
    var host: String
    var port: Int
    var environment: String
    var processID: Int32
    /// The PEM file of the authority to trust.
    var authorityFile: String
    /// The key for provider tokens, and its ids.
    var keyFile: String
    var keyID: String
    var teamID: String

    /// `host:port`, as it stands in a command line.
    var endpoint: String { PushEnvironment(host: host, port: port).description }

    private static func path(_ folder: String) -> String { "\(folder)/running.json" }

    func leave(in folder: String) throws {
        // With --certs nothing else has made it.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try JSONEncoder().encode(self).write(to: URL(filePath: Self.path(folder)), options: .atomic)
    }

    static func remove(from folder: String, processID: Int32) {
        // Another mock may have started on the same folder since.
        guard let note = try? read(folder), note.processID == processID else { return }
        try? FileManager.default.removeItem(atPath: path(folder))
    }

    static func read(_ folder: String) throws -> MockNote {
        guard let data = try? Data(contentsOf: URL(filePath: path(folder))),
            let note = try? JSONDecoder().decode(MockNote.self, from: data)
        else {
            throw CommandFailure(
                status: .cannotConnect,
                message: "No mock is running on \(folder): start one in another terminal with \"pushsend mock\"."
            )
        }
        return note
    }
}
