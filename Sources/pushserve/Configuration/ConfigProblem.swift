/// A mistake in the configuration.
struct ConfigProblem: Error, Hashable, Sendable, CustomStringConvertible {
    var location: ConfigLocation
    /// What is wrong, and what to do about it.
    var message: String
    /// Whether a file that the configuration names does not exist or cannot be read.
    var isMissingFile = false

    init(_ location: ConfigLocation, _ message: String, isMissingFile: Bool = false) {
        (self.location, self.message, self.isMissingFile) = (location, message, isMissingFile)
    }

    /// `pushserve.yaml:3:5: Unknown key "rat". Did you mean "rate"?`
    var description: String { "\(location): \(message)" }
}

/// All mistakes of a configuration: at least one.
struct ConfigProblems: Error, Equatable, Sendable {
    var problems: [ConfigProblem]

    /// In the order of the file; those of the environment after it.
    var inOrder: [ConfigProblem] {
        problems.sorted { $0.location.order < $1.location.order }
    }
}
