import APNSVocabulary

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
        return CommandFailure(status: .badProfile, message: "\(start) \(end)")
    }
}
