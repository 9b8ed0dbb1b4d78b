import ArgumentParser
import PushCommandLine
internal import PushJSON
import PushProvider

struct ProfileShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the settings that a command would use.",
        discussion: """
            Example:
              pushsend profile show coffee --origins

            --origins also shows where each value is from, and which values it overrides. Flags override PUSHSEND_* \
            variables, these override pushsend.yaml in the current folder, and that overrides the user's file.
            """)

    @Argument(
        help: ArgumentHelp("The profile. Default: the one that is used without --profile.", valueName: "name"),
        completion: .profiles)
    var name: String?

    @Flag(help: "Show where each value is from.")
    var origins = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    func run() throws {
        let settings = try Settings.read(profile: name)
        for warning in settings.warnings { Output.note(warning) }
        if json { return Output.print(line(settings).text) }
        let rows = self.rows(settings)
        if rows.isEmpty { return Output.note("Nothing is set. See \"pushsend profile add --help\".") }
        Output.print(settings.profile.map { "profile \($0)" } ?? "no profile")
        let widths = (rows.map(\.name.count).max() ?? 0, rows.map(\.value.count).max() ?? 0)
        for row in rows {
            let name = row.name.padded(to: widths.0)
            guard origins else {
                Output.print("  \(name)  \(row.value)")
                continue
            }
            let value = row.value.padded(to: widths.1)
            Output.print("  \(name)  \(value)  \(row.origin)")
        }
    }

    private struct Row {
        var name: String
        var value: String
        var origin: String
    }

    private func rows(_ settings: Settings) -> [Row] {
        var rows: [Row] = []
        for name in SettingName.allCases {
            let all = settings.all(name)
            if let first = all.first {
                let others = all.dropFirst().map { "\($0.shown(as: name).printable) of \($0.origin.description)" }
                let overrides = others.isEmpty ? "" : ", instead of \(others.joined(separator: ", "))"
                let value = first.shown(as: name).printable
                rows.append(
                    Row(
                        name: name.rawValue, value: settings.uses(first, of: name) ? value : "(not used: \(value))",
                        origin: first.origin.description + overrides))
            }
            if let ignored = settings.untrusted[name] {
                rows.append(
                    Row(
                        name: name.rawValue, value: "(ignored: \(ignored.shown(as: name).printable))",
                        origin: "\(ignored.origin.description), which isn't trusted"))
            }
        }
        for secret in [Fallback.keyText, .passphrase] where secret.value != nil {
            rows.append(Row(name: secret.rawValue.lowercased(), value: "(not shown)", origin: secret.variable))
        }
        for device in settings.devices {
            let token = DeviceToken.shortened(device.token)
            let contested = settings.contested[device.nickname]
            rows.append(
                Row(
                    name: "device \(device.nickname)",
                    value: contested == nil
                        ? token
                        : "(refused: \(token), in your file \(DeviceToken.shortened(contested?.user.token ?? "")))",
                    origin: device.origin.description))
        }
        return rows
    }

    private func line(_ settings: Settings) -> JSONLine {
        var line = JSONLine()
        line["profile"] = settings.profile.map(PushJSONValue.string)
        for (key, areUsed) in [("settings", true), ("not_used", false)] {
            let pairs = SettingName.allCases.compactMap { name in
                settings[name].flatMap {
                    settings.uses($0, of: name) == areUsed ? (name.rawValue, value($0.origin, $0.shown(as: name))) : nil
                }
            }
            line[key] = .object(Dictionary(uniqueKeysWithValues: pairs))
        }
        line["ignored"] = .object(
            Dictionary(
                uniqueKeysWithValues: settings.untrusted.map { ($0.rawValue, value($1.origin, $1.shown(as: $0))) }))
        line["devices"] = .object(
            Dictionary(
                uniqueKeysWithValues: settings.devices.map { device in
                    (device.nickname, value(device.origin, device.token))
                }))
        return line
    }

    private func value(_ origin: SettingOrigin, _ text: String) -> PushJSONValue {
        origins ? .object(["value": .string(text), "origin": .string(origin.description)]) : .string(text)
    }
}
