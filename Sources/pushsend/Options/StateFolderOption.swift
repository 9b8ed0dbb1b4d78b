import ArgumentParser
import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a mock keeps its CA, its key and the note of where it listens, so that other commands find it.
struct StateFolderOption: ParsableArguments {
    @Option(name: .customLong("state"), help: ArgumentHelp("The mock's state folder.", valueName: "dir"))
    var folder: String?

    /// The folder given, the one of the environment, or the user's own.
    var path: String {
        if let folder = folder ?? Fallback.value("STATE") { return folder }
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/pushsend/mock" }
        return "\(environment["HOME"] ?? ".")/.local/state/pushsend/mock"
    }
}

/// The note that a running mock leaves in its state folder.
struct MockNote: Codable {
    var host: String
    var port: Int
    var environment: String
    var processID: Int32

    private static func path(_ folder: String) -> String { "\(folder)/running.json" }

    func leave(in folder: String) throws {
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
