import APNSVocabulary
import PushCommandLine
import PushYAML

struct ConfigFile: Equatable, Sendable {
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

extension CommandFailure {
    init(_ problem: ConfigMistake) { self.init(.badConfiguration, problem.description) }
}

/// The profiles that can be chosen.
struct ProfileChoice {
    var files: [ConfigFile]

    /// The names, each once, in the order of the files.
    var names: [String] {
        var seen: Set<String> = []
        return files.flatMap(\.profiles).map(\.name.text).filter { seen.insert($0).inserted }
    }

    func failure(_ name: String, flag: Bool, variable: Bool) -> CommandFailure {
        let start =
            flag || !variable
            ? "There is no profile \"\(name.printable)\"."
            : "PUSHSEND_PROFILE is \"\(name.printable)\", and there is no such profile."
        let end =
            if let meant = NearestName.nearest(to: name, of: names) {
                "Did you mean \(meant)?"
            } else if names.isEmpty {
                "There are none yet: pushsend profile add NAME."
            } else {
                "The profiles are \(names.prefix(20).joined(separator: ", "))."
            }
        return CommandFailure(.badConfiguration, "\(start) \(end)")
    }
}
