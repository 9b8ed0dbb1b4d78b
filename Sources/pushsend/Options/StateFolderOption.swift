import APNSVocabulary
import ArgumentParser
import PushPlatform

/// The option for the folder in which a mock keeps its CA, its key, and a note with its endpoint, so that other
/// commands find it.
struct StateFolderOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("The state folder of the mock. Default: ~/.local/state/pushsend/mock.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    /// Returns the folder of the option, of the environment, or the default folder of the user.
    ///
    /// - Throws: ``CommandFailure`` if none is given and HOME is not set: keys must not be written to the current
    ///   folder.
    var path: String {
        get throws {
            if let folder = folder ?? Fallback.value("STATE") { return folder }
            guard let path = Self.defaultPath else {
                throw CommandFailure.usage("HOME is not set: give the mock's state folder with --state DIR.")
            }
            return path
        }
    }

    /// The default folder of the user. It needs no flag.
    static var defaultPath: String? {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/pushsend/mock" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home == "/" ? "" : home)/.local/state/pushsend/mock"
    }

    /// Returns the flag with which another command finds a state folder: ` --state DIR`, or nothing for the default
    /// folder.
    static func flag(for folder: String) -> String {
        folder == defaultPath || AbsolutePath.of(folder) == defaultPath ? "" : " --state \(ShellWord.quoted(folder))"
    }
}
