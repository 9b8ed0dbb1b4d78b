package import Foundation

/// The files of this repository.
package enum Repository {
    package static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The URL of a file or folder.
    /// - Parameter path: Its path from the root.
    /// - Returns: The URL.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    /// The text of a file; empty if it cannot be read, so that a test says what it misses.
    /// - Parameter path: Its path from the root.
    /// - Returns: The text.
    package static func text(_ path: String) -> String {
        (try? String(contentsOf: url(path), encoding: .utf8)) ?? ""
    }
}
