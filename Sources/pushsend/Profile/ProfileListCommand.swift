import ArgumentParser
import PushCommandLine
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
        let chosen = Fallback.profile.value ?? files.compactMap(\.file.chosen).first?.text
        let names = ProfileChoice(files: files.map(\.file)).names
        if names.isEmpty {
            if !json { Output.note("There are no profiles yet: pushsend profile add NAME.") }
            return
        }
        var rows: [[String]] = []
        for name in names {
            let settings = try Settings.read(profile: name)
            if json {
                Output.print(line(name, settings, isDefault: name == chosen).text)
            } else {
                rows.append([name == chosen ? "* \(name)" : "  \(name)"] + Self.summary(settings))
            }
        }
        for line in Self.columns(rows) { Output.print(line) }
    }

    /// Aligns the cells of each column. A column without any text is left out.
    private static func columns(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { TerminalWidth.of($0[column]) }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) where width > 0 {
                line += cell + String(repeating: " ", count: width - TerminalWidth.of(cell) + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private static func summary(_ settings: Settings) -> [String] {
        let server = settings.server
        return [
            settings.value(.topic) ?? "", server?.endpoint?.value ?? server?.environment?.value ?? "",
            credentials(settings).map { "with a \($0)" } ?? "",
            settings.devices.map(\.nickname).joined(separator: " "),
        ]
    }

    private static func credentials(_ settings: Settings) -> String? {
        switch try? settings.credentials() {
        case .key, .keyText: "key"
        case .p12, .cert: "certificate"
        case nil: nil
        }
    }

    private func line(_ name: String, _ settings: Settings, isDefault: Bool) -> JSONLine {
        [
            "profile": .string(name), "default": .bool(isDefault),
            "topic": settings.value(.topic).map(PushJSONValue.string),
            "environment": settings.server?.environment.map { .string($0.value) },
            "endpoint": settings.server?.endpoint.map { .string($0.value) },
            "credentials": Self.credentials(settings).map(PushJSONValue.string),
            "devices": .array(settings.devices.map { .string($0.nickname) }),
        ]
    }
}
