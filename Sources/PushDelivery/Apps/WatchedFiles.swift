internal import PushPlatform

/// The state of files, to notice that one of them was replaced.
package struct WatchedFiles: Sendable, Equatable {
    private struct State: Sendable, Equatable {
        /// The path without symbolic links: a secret that is mounted in a container changes by its links.
        var path: String
        var modified: Date?
        var bytes: Int?
        var number: Int?
        /// Who may read it: a file that could not be read may be readable now.
        var mode: Int?
        var owner: Int?
        var group: Int?
    }

    private let states: [State]

    /// Reads the state of the files. A file that does not exist also has a state.
    package init(_ paths: [String]) {
        states = paths.map(Self.state)
    }

    private static func state(_ path: String) -> State {
        var real = path
        if let resolved = realpath(path, nil) {
            real = String(cString: resolved)
            free(resolved)
        }
        let attributes = (try? FileManager.default.attributesOfItem(atPath: real)) ?? [:]
        return State(
            path: real, modified: attributes[.modificationDate] as? Date, bytes: attributes[.size] as? Int,
            number: attributes[.systemFileNumber] as? Int, mode: attributes[.posixPermissions] as? Int,
            owner: attributes[.ownerAccountID] as? Int, group: attributes[.groupOwnerAccountID] as? Int)
    }
}
