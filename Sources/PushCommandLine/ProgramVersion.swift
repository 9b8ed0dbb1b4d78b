internal import CBuildCommit

/// The version of both programs, and of the release that contains them: scripts/release reads it here.
package enum ProgramVersion {
    package static let number = "0.10.0"

    /// The number, with the commit if the build knew it: `0.10.0 (1a2b3c4d5e)`.
    package static let text = withCommit(String(cString: build_commit()))

    package static func withCommit(_ commit: String) -> String { commit.isEmpty ? number : "\(number) (\(commit))" }
}
