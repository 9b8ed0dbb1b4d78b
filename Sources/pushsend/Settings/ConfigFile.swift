/// The content of a configuration file.
struct ConfigFile: Equatable, Sendable {
    /// A value with its position.
    struct Located: Equatable, Sendable {
        var text: String
        var position: ConfigPosition
    }

    /// Settings and devices: those of a profile, or those that the file sets for all profiles.
    struct Layer: Equatable, Sendable {
        var settings: [SettingName: Located] = [:]
        /// In the order of the file.
        var devices: [Device] = []
    }

    struct Device: Equatable, Sendable {
        var nickname: Located
        var token: Located
    }

    struct Profile: Equatable, Sendable {
        var name: Located
        var layer: Layer
    }

    /// The name of the profile that is used unless another one is chosen.
    var chosen: Located?
    /// What the file sets outside its profiles.
    var common = Layer()
    /// In the order of the file.
    var profiles: [Profile] = []

    func profile(named name: String) -> Profile? { profiles.first { $0.name.text == name } }
}

/// A mistake in a configuration file.
struct ConfigProblem: Error, Equatable {
    var position: ConfigPosition
    /// The mistake and what to do about it.
    var message: String
}

extension CommandFailure {
    init(_ problem: ConfigProblem) {
        let position = problem.position
        self.init(
            status: .badProfile,
            message: "\(position.file):\(position.line):\(position.column): \(problem.message)")
    }
}
