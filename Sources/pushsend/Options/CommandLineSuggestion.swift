internal import APNSVocabulary
import PushCommandLine
import PushProvider

/// Suggests the right flag, value, or subcommand for one that does not exist: those of other tools, and typing errors.
enum CommandLineSuggestion {
    // MARK: Flags

    /// Suggests the flag for a flag of another tool.
    ///
    /// - Parameters:
    ///   - flag: The flag as written, with its hyphens.
    ///   - command: The subcommand; `nil` if none was given.
    /// - Returns: A sentence; `nil` for an unknown flag.
    static func sentence(forFlag flag: String, of command: String?) -> String? {
        guard let command else {
            if flag == "-v" || flag == "-V" { return "Did you mean --version?" }
            if EditDistance.between(flag, "--help") <= 2 { return "Did you mean --help?" }
            if let first = CommandLine.arguments.dropFirst().first, first.utf8.count >= 16,
                (try? DeviceToken(first)) != nil
            {
                return "A subcommand is missing: pushsend send TOKEN \(flag)."
            }
            return "Options come after a subcommand: pushsend send --topic com.example.app."
        }
        if tokenFlags.contains(flag) {
            switch command {
            case "send": return "The device token needs no flag: pushsend send TOKEN."
            case "batch": return "The device tokens are in the input: pushsend batch FILE."
            default: return nil
            }
        }
        if command == "channel", let sentence = flagsOfDevices[flag] { return sentence }
        guard let foreignFlag = foreignFlags.first(where: { $0.flags.contains(flag) && $0.commands.contains(command) })
        else {
            return nil
        }
        return "Did you mean \(foreignFlag.ours)?"
    }

    /// A flag of other tools.
    private struct ForeignFlag {
        /// The names in other tools.
        var flags: [String]
        /// The name in this tool.
        var ours: String
        /// The subcommands with this flag.
        var commands: [String] = ["send", "batch"]
    }

    private static let tokenFlags = ["--token", "--device-token", "--device", "--tokens", "--to"]

    /// Flags of a push to a device that a broadcast lacks.
    private static let flagsOfDevices = [
        "--collapse-id": "A broadcast has no collapse id.",
        "--push-type": "The push type of a broadcast is liveactivity.", "--apns-id": "Did you mean --request-id?",
    ]

    private static let foreignFlags = [
        ForeignFlag(
            flags: ["--body", "--text", "--alert", "--msg", "--alert-body"], ours: "-m, --message",
            commands: ["send", "batch", "try"]),
        ForeignFlag(flags: ["--production", "--prod"], ours: "-e production", commands: environments),
        ForeignFlag(flags: ["--sandbox", "--development", "--dev"], ours: "-e sandbox", commands: environments),
        ForeignFlag(flags: ["--env", "--mode"], ours: "-e, --environment", commands: environments),
        ForeignFlag(
            flags: ["--silent", "--background", "--contentAvailable"],
            ours: "--content-available, which alone makes a silent push"),
        ForeignFlag(flags: ["--mutable", "--mutableContent"], ours: "--mutable-content"),
        ForeignFlag(flags: ["--custom", "--custom-data", "--extra", "--userinfo"], ours: "-d, --data KEY=TEXT"),
        ForeignFlag(flags: ["--file", "--payload-file", "--json-file", "--apns-file"], ours: "--payload"),
        ForeignFlag(flags: ["--thread", "--thread-identifier"], ours: "--thread-id"),
        ForeignFlag(
            flags: ["--bundle-id", "--bundle", "--bundleid", "--bundle-identifier", "--app-id", "--apns-topic"],
            ours: "--topic", commands: ["send", "batch", "lint", "try"]),
        ForeignFlag(flags: ["--type", "--apns-push-type", "--pushtype"], ours: "--push-type", commands: headers),
        ForeignFlag(
            flags: ["--expiry", "--expire", "--expiration", "--apns-expiration", "--ttl"], ours: "--expires",
            commands: headers),
        ForeignFlag(flags: ["--apns-priority"], ours: "--priority", commands: headers),
        ForeignFlag(
            flags: ["--collapse", "--apns-collapse-id", "--collapseid"], ours: "--collapse-id", commands: headers),
        ForeignFlag(
            flags: ["--p8", "--auth-key", "--authkey", "--key-file", "--key-path", "--private-key", "--token-key"],
            ours: "--key", commands: signers + ["inspect"]),
        ForeignFlag(flags: ["--keyid", "--kid", "--auth-key-id"], ours: "--key-id", commands: signers),
        ForeignFlag(flags: ["--team", "--teamid", "--issuer"], ours: "--team-id", commands: signers),
        ForeignFlag(flags: ["--certificate", "--pem", "--cert-file"], ours: "--cert"),
        ForeignFlag(flags: ["--pfx", "--pkcs12"], ours: "--p12"),
        ForeignFlag(flags: ["--host", "--hostname", "--server", "--url"], ours: "--endpoint HOST:PORT"),
        ForeignFlag(flags: ["--ca", "--cafile", "--ca-file"], ours: "--cacert"),
        ForeignFlag(
            flags: ["--insecure", "--no-verify"], ours: "--cacert FILE, which trusts the authority of a test server"),
    ]

    private static let environments = ["send", "batch", "mock"]
    private static let headers = ["send", "batch", "lint"]
    private static let signers = ["send", "batch", "jwt", "mock"]

    // MARK: Values

    /// Suggests a value of `--expires` for a bare number that cannot be a time in UNIX seconds.
    static func sentence(forExpires value: String) -> String? {
        guard value.allSatisfy({ $0.isNumber || $0 == "." }), let number = Double(value), number > 0 else { return nil }
        if let whole = Int(value), let mistake = TimeChecks.mistake(inUnitOf: whole) { return mistake.advice }
        if number < 1 { return "Did you mean once? A duration needs a unit, and the shortest is 1s." }
        return number > secondsOfAYear ? nil : "Did you mean \(value)s? A duration needs a unit."
    }

    /// A larger number is taken for a time in UNIX seconds, and not for a duration.
    private static let secondsOfAYear = 366.0 * 86_400

    // MARK: Subcommands

    /// Suggests what to do about an unknown subcommand.
    ///
    /// - Parameters:
    ///   - text: The word as written.
    ///   - path: The commands before it, such as `pushsend mock`.
    ///   - names: The existing subcommands.
    /// - Returns: One or two sentences.
    static func sentence(forSubcommand text: String, after path: [String], of names: [String]) -> String {
        // Do not repeat the device token: it is long, and private.
        if names.contains("send"), text.count >= 16, (try? DeviceToken(text)) != nil {
            return "A device token comes after a subcommand: pushsend send TOKEN."
        }
        return SubcommandAdvice.sentence(for: text, after: path, of: names, others: otherNames)
    }

    /// Words of other tools, and what they may mean: the first that the command has.
    private static let otherNames = [
        "push": ["send"], "notify": ["send"], "campaign": ["batch"], "bulk": ["batch"], "token": ["jwt"],
        "server": ["mock", "run"], "serve": ["mock", "run"], "start": ["mock", "run"], "up": ["run"],
        "validate": ["lint"], "check": ["lint", "assert"], "show": ["inspect", "list"], "cert": ["inspect"],
        "demo": ["try"], "log": ["list"], "requests": ["list"], "pushes": ["list"], "expect": ["assert"],
        "faults": ["fault"], "clear": ["reset"], "kill": ["stop"], "down": ["stop"], "exports": ["env"],
        "status": ["ready"], "use": chosenProfile, "default": chosenProfile, "select": chosenProfile,
        "switch": chosenProfile,
        "set": ["add NAME --update"], "edit": ["add NAME --update"], "update": ["add NAME --update"],
        "new": ["add", "create"], "save": ["add"], "add": ["create"], "create": ["add"], "ls": ["list"],
        "rm": ["remove", "delete"], "delete": ["remove"], "remove": ["delete"], "info": ["show"], "get": ["show"],
        "read": ["show"],
    ]

    /// How to choose the profile that commands use from now on.
    private static let chosenProfile = ["add NAME --update --default"]
}
