import ArgumentParser

/// The option for the profile, and the settings that follow from it.
struct ProfileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The profile to use; \"pushsend profile\" shows how to create one. Default: PUSHSEND_PROFILE, or the one that a file chooses.",
            valueName: "name"),
        completion: .profiles)
    var profile: String?

    /// Reads the settings, and prints their warnings.
    func settings() throws -> Settings {
        let settings = try Settings.read(profile: profile)
        for warning in settings.warnings { Output.note(warning) }
        return settings
    }
}

extension CompletionKind {
    static var profiles: CompletionKind {
        .custom { _, _, _ in ProfileChoice(files: readableFiles).names }
    }

    /// The nicknames of the devices, in the profile that the typed words choose.
    static var nicknames: CompletionKind {
        .custom { arguments, _, _ in
            var name: String?
            if let index = arguments.firstIndex(of: "--profile"), arguments.indices.contains(index + 1) {
                name = arguments[index + 1]
            }
            return (try? Settings.read(profile: name))?.devices.map(\.nickname) ?? []
        }
    }

    /// The files without mistakes. A shell that completes a word shows no messages.
    private static var readableFiles: [ConfigFile] {
        [ConfigLocation.project, .user].compactMap { (try? $0.read())?.file }
    }
}
