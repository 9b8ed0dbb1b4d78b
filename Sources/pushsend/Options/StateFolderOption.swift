import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a mock keeps its CA, its key and the note of where it listens, so that other commands find it.
struct StateFolderOption: ParsableArguments {
    @Option(
        name: .customLong("state"), help: ArgumentHelp("The mock's state folder.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    /// The folder given, the one of the environment, or the user's own.
    var path: String {
        if let folder = folder ?? Fallback.value("STATE") { return folder }
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/pushsend/mock" }
        return "\(environment["HOME"] ?? ".")/.local/state/pushsend/mock"
    }
}
