import ArgumentParser
internal import PushJSON
import PushProvider

struct ProfileListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the profiles, one on each line.",
        discussion: """
            Example:
              pushsend profile list

            A star marks the profile that is used unless another one is chosen.
            """)

    @Flag(help: "Print one JSON object for each profile.")
    var json = false

    func run() throws {
        let files = try [ConfigLocation.project, .user].compactMap { try $0.read() }
        let chosen = Fallback.value("PROFILE") ?? files.compactMap(\.file.chosen).first?.text
        let names = ProfileChoice(files: files.map(\.file)).names
        if names.isEmpty {
            if !json { Output.note("There are no profiles yet: pushsend profile add NAME.") }
            return
        }
        let width = names.map(\.count).max() ?? 0
        for name in names {
            let settings = try Settings.read(profile: name)
            if json {
                Output.print(line(name, settings, isDefault: name == chosen).text)
            } else {
                let mark = name == chosen ? "*" : " "
                let padding = String(repeating: " ", count: width - name.count)
                Output.print("\(mark) \(name)\(padding)  \(Self.summary(settings))")
            }
        }
    }

    private static func summary(_ settings: Settings) -> String {
        let server = settings.server
        let devices = settings.devices.map(\.nickname)
        let parts: [String?] = [
            settings.value(.topic), server?.endpoint?.value ?? server?.environment?.value,
            credentials(settings).map { "with \($0.hasPrefix("a") ? $0 : "a \($0)")" },
            devices.isEmpty ? nil : devices.joined(separator: " "),
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    private static func credentials(_ settings: Settings) -> String? {
        switch try? settings.credentials() {
        case .key, .keyText: "key"
        case .p12, .cert: "certificate"
        case nil: nil
        }
    }

    private func line(_ name: String, _ settings: Settings, isDefault: Bool) -> JSONLine {
        var line = JSONLine()
        line["profile"] = .string(name)
        line["default"] = .bool(isDefault)
        line["topic"] = settings.value(.topic).map(PushJSONValue.string)
        line["environment"] = settings.server?.environment.map { .string($0.value) }
        line["endpoint"] = settings.server?.endpoint.map { .string($0.value) }
        line["credentials"] = Self.credentials(settings).map(PushJSONValue.string)
        line["devices"] = .array(settings.devices.map { .string($0.nickname) })
        return line
    }
}
