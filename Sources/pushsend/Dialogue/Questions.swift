import APNSVocabulary
import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider

/// Asks about a key or a certificate.
enum KeyQuestion {
    /// The kind of a file, by its name.
    enum Kind {
        case key
        case p12
        case pem
    }

    static func kind(_ path: String) -> Kind {
        let name = path.lowercased()
        if name.hasSuffix(".p12") || name.hasSuffix(".pfx") { return .p12 }
        return name.hasSuffix(".pem") ? .pem : .key
    }

    /// Asks for the file of a key or a certificate. The hint is followed by those in the current folder.
    static func askForFile(_ hint: String) throws -> String {
        let found = NearbyKeys.here
        return try Prompt.ask("Key file", hint: hint + found.offer) { try file(found.chosen(by: $0)) }
    }

    static func askForKeyID(_ hint: String) throws -> String {
        try Prompt.ask("Key id", hint: hint) { try id($0, "key id") }
    }

    static func askForTeamID(keyID: String?) throws -> String {
        let hint = "The team id, ten characters, shown at developer.apple.com under Membership details."
        return try Prompt.ask("Team id", hint: hint) { answer in
            let id = try id(answer, "team id")
            if id == keyID {
                throw CommandFailure.usage("This is the key id. Find the team id under Membership details.")
            }
            return id
        }
    }

    /// Returns the path of a key or a certificate that can be used.
    private static func file(_ answer: String) throws -> String {
        guard !answer.isEmpty else { throw CommandFailure.usage("Type the path of the file.") }
        let path = pastedPath(answer)
        do {
            try check(path)
        } catch {
            // The passphrase or the identity is the next question.
            guard [.passphraseNeeded, .severalIdentities].contains(error.code) else { throw CommandFailure(error) }
        }
        return path
    }

    private static func check(_ path: String) throws(PushCredentialsError) {
        switch kind(path) {
        case .p12: _ = try PushIdentity(p12File: path)
        case .pem: _ = try PushIdentity(certificateFile: path)
        case .key: try checkKey(path)
        }
    }

    /// Checks a key before its ids are known. The ids here have only the right form, and nothing is signed.
    private static func checkKey(_ path: String) throws(PushCredentialsError) {
        _ = try PushProviderKey(p8File: path, keyID: anyID, teamID: anyID)
    }

    private static let anyID = String(repeating: "X", count: 10)

    private static func id(_ answer: String, _ name: String) throws -> String {
        if let problem = PushProviderKey.problem(in: answer) {
            throw CommandFailure.usage("A \(name) has ten letters and digits; this one \(problem).")
        }
        return answer
    }

    /// Returns a path that was pasted or dragged into a terminal: with quotes, escaped spaces, or a tilde.
    private static func pastedPath(_ text: String) -> String {
        var path = text
        if path.count > 1, let quote = path.first, "'\"".contains(quote), path.last == quote {
            path = String(path.dropFirst().dropLast())
        } else if !FileManager.default.fileExists(atPath: path) {
            path = path.replacing("\\ ", with: " ")
        }
        guard path.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] else { return path }
        return home + path.dropFirst()
    }
}

/// Asks about the message, and checks the answers.
enum MessageQuestion {
    static func askForTopic(_ certificate: PushCertificate?, teamID: String?) throws -> String {
        let topics = certificate?.topics ?? []
        let hint =
            topics.isEmpty
            ? "The topic, which is the app's bundle id: Xcode, the target, General, Identity."
            : "The topic, one of the certificate's: \(topics.joined(separator: ", "))."
        return try Prompt.ask("Topic", hint: hint) { try topic($0, certificate, teamID: teamID) }
    }

    static func topic(_ answer: String, _ certificate: PushCertificate?, teamID: String? = nil) throws -> String {
        if answer == teamID {
            throw CommandFailure.usage(
                "This is the team id. The topic is the app's bundle id, such as com.example.app.")
        }
        if let topics = certificate?.topics, !topics.isEmpty, !topics.contains(answer) {
            throw CommandFailure.usage("The certificate is for \(topics.joined(separator: ", ")).")
        }
        let token = try DeviceToken("00")
        let sample = PushNotification(to: token, topic: answer, payload: .alert(body: "Hello"))
        let finding = sample.findings().first { $0.subject == APNSHeader.topic && $0.severity == .error }
        if let finding { throw CommandFailure.usage(finding.description) }
        return answer
    }

    static func askForEnvironment() throws -> EnvironmentArgument {
        let hint = """
            Which build of the app is on the device? sandbox for an app run from Xcode; production for TestFlight, ad hoc and the \
            App Store. With the wrong environment, Apple answers BadDeviceToken.
            """
        return try Prompt.ask("Environment", hint: hint) { answer in
            guard let environment = EnvironmentArgument(argument: answer) else {
                throw CommandFailure.usage(
                    "Type sandbox or production: production is TestFlight, ad hoc and the App Store.")
            }
            return environment
        }
    }

    static func token(_ answer: String) throws -> String {
        return try rethrowing(try PastedDeviceToken(answer).token.hex) { (error: DeviceTokenError) in
            CommandFailure.usage(error.description)
        }
    }

    static func text(_ answer: String) throws -> String {
        guard !answer.isEmpty else { throw CommandFailure.usage("Type the text.") }
        return answer
    }
}

/// Finds key and certificate files in the current folder, to offer them.
struct NearbyKeys {
    /// The names, sorted.
    var names: [String]

    /// The maximum number of names to offer. Further ones are left out.
    private static let maximum = 9

    static var here: NearbyKeys {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        return NearbyKeys(names: Array(names.filter(isOne).sorted().prefix(maximum)))
    }

    private static func isOne(_ name: String) -> Bool {
        let plain = name.lowercased()
        return name.hasPrefix("AuthKey_") && (plain.hasSuffix(".p8") || plain.hasSuffix(".p8.txt"))
            || plain.hasSuffix(".p12")
    }

    /// The text after the hint.
    var offer: String {
        switch names.count {
        case 0: ""
        case 1: "\nFound here: \(names[0].printable). Press Enter to use it."
        default:
            "\nFound here. Type a number to use one:\n"
                + names.enumerated().map { "  \($0.offset + 1)  \($0.element.printable)" }.joined(separator: "\n")
        }
    }

    func chosen(by answer: String) -> String {
        if answer.isEmpty, names.count == 1 { return names[0] }
        guard names.count > 1, let number = Int(answer), names.indices.contains(number - 1) else { return answer }
        return names[number - 1]
    }
}

/// The answers of the user, as flags.
struct Answers: Sendable {
    /// Whether the user wants no more questions.
    var areEnough = false
    private var arguments: [String] = []
    var areAny: Bool { !arguments.isEmpty }

    mutating func add(_ more: String...) { add(more) }

    mutating func add(_ more: [String]) { arguments += more }

    /// Prints the command line that needs no questions. The answers come first, because the typed words may end with
    /// `--`.
    func printCommand() {
        guard !arguments.isEmpty else { return }
        let typed = CommandLine.arguments
        let command = Array(typed.prefix(2)) + arguments + Array(typed.dropFirst(2))
        Output.note("")
        Output.note("Next time, in one line:")
        Output.note("  " + command.map(ShellWord.quoted).joined(separator: " "))
        Output.note("")
    }
}
