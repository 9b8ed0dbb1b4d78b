import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a mock keeps its CA, its key and the note of where it listens, so that other commands find it.
struct StateFolderOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("The state folder of the mock. Default: ~/.local/state/pushsend/mock.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    /// The folder given, the one of the environment, or the user's own.
    ///
    /// - Throws: ``CommandFailure`` where none is given and HOME is not set: keys must not land in the current folder.
    var path: String {
        get throws {
            if let folder = folder ?? Fallback.value("STATE") { return folder }
            guard let path = Self.defaultPath else {
                throw CommandFailure.usage("HOME is not set: name the mock's state folder with --state DIR.")
            }
            return path
        }
    }

    /// The user's own folder, which needs no flag.
    static var defaultPath: String? {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/pushsend/mock" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home == "/" ? "" : home)/.local/state/pushsend/mock"
    }

    /// The flag by which another command finds a state folder: ` --state DIR`; nothing for the user's own folder.
    static func flag(for folder: String) -> String {
        folder == defaultPath || AbsolutePath.of(folder) == defaultPath ? "" : " --state \(ShellWord.quoted(folder))"
    }
}
