import PushCommandLine
import PushPlatform
import PushProvider
import PushYAML

/// Adds and removes profiles in a configuration file.
///
/// The changed text is read again before it is written: the profile must have the intended values, and everything else must
/// be unchanged. Otherwise the file is not written.
struct ConfigEditor {
    let location: ConfigLocation
    private let path: String
    /// The path for messages.
    let shownPath: String
    /// The file before the change; `nil` if there is none yet.
    let before: ReadConfig?

    init(_ location: ConfigLocation) throws {
        guard let path = location.path else {
            throw CommandFailure.usage(
                "HOME isn't set, so the path of the configuration file is unknown. Set XDG_CONFIG_HOME.")
        }
        self.location = location
        self.path = path
        shownPath = ConfigLocation.shown(path)
        before = try location.read()
    }

    /// The folder of the file, which ends with a slash.
    private var folder: String {
        URL(filePath: before?.absolutePath ?? AbsolutePath.of(path)).deletingLastPathComponent()
            .path(percentEncoded: false)
    }

    private static let header = "# Profiles of pushsend: see \"pushsend profile --help\".\n"

    private var text: String { before.map { String(decoding: $0.bytes, as: UTF8.self) } ?? Self.header }

    /// Adds or replaces a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - isDefault: Whether it is used from now on unless another one is chosen.
    /// - Throws: ``CommandFailure`` if the file cannot be changed or written.
    func put(_ profile: NewProfile, isDefault: Bool) throws {
        try check(profile)
        try write(explaining: profile) { text in
            try text.put(location == .project ? profile.relative(to: folder) : profile)
            if isDefault { try text.choose(profile.name) }
        } expecting: { file in
            if isDefault, file.chosen?.text != profile.name { return false }
            return file.profile(named: profile.name).map { NewProfile($0) } == profile
                && others(of: file, profile.name) == others(of: before?.file, profile.name)
        }
    }

    /// Refuses values that contradict each other, before the file is blamed.
    private func check(_ profile: NewProfile) throws {
        let text = (["profiles:"] + profile.lines(indent: 2)).joined(separator: "\n") + "\n"
        _ = try rethrowing(
            try ConfigReader(file: shownPath, folder: folder, home: UserFolder.home).read(Array(text.utf8))
        ) { (error: ConfigMistake) in
            CommandFailure.usage("The values don't fit together. \(error.message)")
        }
    }

    func remove(_ name: String) throws {
        let isDefault = before?.file.chosen?.text == name
        try write(explaining: nil) { text in
            try text.remove(name)
            if isDefault { try text.choose(nil) }
        } expecting: { file in
            file.profile(named: name) == nil && others(of: file, name) == others(of: before?.file, name)
        }
    }

    private func others(of file: ConfigFile?, _ name: String) -> [NewProfile] {
        (file?.profiles ?? []).filter { $0.name.text != name }.map { NewProfile($0) }
    }

    private func write(
        explaining profile: NewProfile?, _ change: (inout ConfigText) throws -> Void, expecting: (ConfigFile) -> Bool
    ) throws {
        var changed = ConfigText(text)
        let reader = ConfigReader(file: shownPath, folder: folder, home: UserFolder.home)
        guard (try? change(&changed)) != nil, let file = try? reader.read(Array(changed.text.utf8)), expecting(file)
        else { throw unchangeable(profile) }
        try ConfigStore.write(changed.text, to: path, in: location)
    }

    private func unchangeable(_ profile: NewProfile?) -> CommandFailure {
        let advice =
            profile.map {
                "Add these lines yourself:\n" + (["profiles:"] + $0.lines(indent: 2)).joined(separator: "\n")
            }
            ?? "Remove it with an editor."
        Output.note(advice)
        return CommandFailure(
            .badConfiguration,
            "\"\(shownPath)\" has a form that pushsend can't change, such as {...} or aliases, so it wasn't changed.")
    }
}

extension NewProfile {
    /// The profile with relative paths to files in a folder, so that it fits every clone of a project.
    fileprivate func relative(to folder: String) -> NewProfile {
        var profile = self
        for (name, value) in settings where name.isPath && value.hasPrefix(folder) {
            profile.settings[name] = String(value.dropFirst(folder.count))
        }
        return profile
    }

    /// The profile as written in a file, with absolute paths.
    init(_ profile: ConfigFile.Profile) {
        self.init(
            name: profile.name.text, settings: profile.layer.settings.mapValues(\.text),
            devices: profile.layer.devices.map { ($0.nickname.text, $0.token.text) })
    }
}
