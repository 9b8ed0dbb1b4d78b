import CBuildCommit

/// The version of the program. It is that of pushsend.
enum PushserveVersion {
    /// The number of the version.
    static let number = "0.9.0"

    /// The number, with the commit if the build knew it: `0.9.0 (1a2b3c4d5e)`.
    static let text: String = {
        let commit = String(cString: build_commit())
        return commit.isEmpty ? number : "\(number) (\(commit))"
    }()
}
