import ArgumentParser
import MockAPNs
import PushCommandLine
import PushProvider

struct SignerOptions: ParsableArguments {
    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "The .p8 key file from Apple's developer portal; - for standard input. PUSHSEND_KEY_PEM can hold its text instead.",
            valueName: "p8|-"),
        completion: .file()
    )
    var keyFile: String?

    @Option(help: ArgumentHelp("The key id. Default: taken from the file name AuthKey_<id>.p8.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The team id, shown at developer.apple.com under Membership details.", valueName: "id"))
    var teamID: String?

    @Flag(help: "Use the key of a running \"pushsend mock\"; pushes go to that mock.")
    var mock = false

    @OptionGroup var state: StateFolderOption

    func validate() throws {
        try PassphraseOptions.refusePassphrases(in: [keyFile])
    }

    /// Returns the credentials of the options, and prints their warnings, unless the caller reports them.
    func signer(_ settings: Settings, printsWarnings: Bool = true) throws -> Signer {
        let key = try providerKey(settings, printsWarnings: printsWarnings)
        return .key(key, flags: try jwtFlags(key, settings))
    }

    /// The flags with which `pushsend jwt` uses the same key from any folder.
    private func jwtFlags(_ key: PushProviderKey, _ settings: Settings) throws -> [String] {
        var flags: [String] = []
        if mock { flags += ["--mock", "--state", AbsolutePath.of(try state.path)] }
        if !mock || keyFile != nil, let source = try? ownKeySource(settings) {
            switch source {
            case .file(let path): flags += ["--key", AbsolutePath.of(path)]
            // A user who pastes the command must give the key again.
            case .pipe: flags += ["--key", "AuthKey_\(key.keyID).p8"]
            case .variable: break
            }
        }
        return flags + ["--key-id", key.keyID, "--team-id", key.teamID]
    }

    /// Returns the key to sign with, and prints its warnings, unless the caller reports them.
    func providerKey(_ settings: Settings, printsWarnings: Bool = true) throws -> PushProviderKey {
        // A key in the environment or a profile is for Apple. The mock does not know it.
        let key = try mock && keyFile == nil ? mockKey() : ownKey(settings)
        if printsWarnings { for warning in key.warnings { Output.note("warning: \(warning)") } }
        return key
    }

    private func mockKey() throws -> PushProviderKey {
        let note = try MockNote.ofRunningMock(on: try state.path)
        do {
            return try PushProviderKey(
                p8File: note.keyFile,
                keyID: keyID ?? note.keyID,
                teamID: teamID ?? note.teamID
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    private func ownKey(_ settings: Settings) throws -> PushProviderKey {
        guard let source = try ownKeySource(settings) else {
            // X marks the key id, as in the names of Apple's key files.
            throw CommandFailure.usage(
                """
                There is no signing key: give --key AuthKey_XXXXXXXXXX.p8, --profile NAME, or --mock for the key of a running \
                mock.
                """)
        }
        do {
            return try key(of: source, settings)
        } catch let failure as CommandFailure {
            throw source.file.map { settings.locating(failure, ofFile: $0) } ?? failure
        }
    }

    private func key(of source: KeySource, _ settings: Settings) throws -> PushProviderKey {
        let (ownKeyID, ownTeamID) = (ownKeyID(settings), ownTeamID(settings))
        // A file that is not a key has no ids either.
        if ownKeyID == nil || ownTeamID == nil { try source.refuseWhatIsNoKey() }
        guard let keyID = ownKeyID else {
            // X marks it.
            throw CommandFailure.usage(
                "There is no key id: give --key-id, the ten characters in the key file's original name, AuthKey_XXXXXXXXXX.p8."
            )
        }
        guard let teamID = ownTeamID else {
            throw CommandFailure.usage(
                "There is no team id: give --team-id, ten characters, shown at developer.apple.com under Membership details."
            )
        }
        if keyID == teamID {
            Output.note(
                "warning: the key id and the team id are the same. Find your team id under Membership details.")
        }
        if teamID.contains(".") {
            throw CommandFailure.usage(
                "The team id \"\(teamID.printable)\" looks like a bundle id: give that with --topic. A team id has ten letters and digits."
            )
        }
        return try source.key(keyID, teamID)
    }

    // MARK: Availability

    /// Returns the source of the key. The flag overrides the settings. `nil` if none is given.
    ///
    /// - Throws: ``CommandFailure`` if the variables name several credentials.
    func ownKeySource(_ settings: Settings) throws -> KeySource? {
        if let keyFile { return KeySource(path: keyFile) }
        switch try settings.credentials() {
        case .key(let setting): return KeySource(path: setting.value)
        case .keyText(let text): return .variable(text)
        case .p12, .cert, nil: return nil
        }
    }

    /// Whether the user gave a key. Contradictions are reported later.
    func hasOwnKey(_ settings: Settings) -> Bool {
        do { return try ownKeySource(settings) != nil } catch { return true }
    }

    var readsStandardInput: Bool { keyFile == "-" }

    /// The key id: of a flag, a variable, the file in which the key is named, the name of the key file, and last of any
    /// configuration file.
    func ownKeyID(_ settings: Settings) -> String? {
        let isFile = keyFile == nil && (try? settings.credentials())??.isFile == true
        return keyID ?? settings.companion(.keyID, ofFile: isFile)
            ?? (try? ownKeySource(settings))?.flatMap(\.file).flatMap(PushProviderKey.keyID(inFileName:))
            ?? settings.value(.keyID)
    }

    func ownTeamID(_ settings: Settings) -> String? { teamID ?? settings.value(.teamID) }

    /// Whether the user must be asked for something before there is a key to sign with.
    func isMissing(_ settings: Settings) -> Bool {
        let isMocks = mock && keyFile == nil
        return !isMocks && (!hasOwnKey(settings) || ownKeyID(settings) == nil || ownTeamID(settings) == nil)
    }
}

/// The credentials of a push, from the options.
enum Signer: Sendable {
    /// A key for provider tokens, and the flags with which `pushsend jwt` makes the same tokens.
    case key(PushProviderKey, flags: [String])
    /// A certificate with its key, and what knows the flags with which curl uses it.
    case identity(PushIdentity, from: IdentityReader?)

    var credentials: PushCredentials {
        switch self {
        case .key(let key, _): .token(key)
        case .identity(let identity, _): .identity(identity)
        }
    }
}

enum KeySource {
    case file(String)
    /// Standard input or a pipe, by its path.
    case pipe(String)
    /// The text of the key, in the variable `PUSHSEND_KEY_PEM`.
    case variable(String)

    /// Creates the source for a path from a flag or a variable.
    init(path: String) {
        self = SingleUseInput.isOne(path) ? .pipe(path) : .file(path)
    }

    /// The path, if the source is a file.
    var file: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// Reads the key. It is not checked further.
    func key(_ keyID: String, _ teamID: String) throws -> PushProviderKey {
        do {
            switch self {
            case .file(let path):
                guard !KeyFile.isContents(path) else { throw Self.isText }
                return try PushProviderKey(p8File: path, keyID: keyID, teamID: teamID)
            case .pipe(let path):
                let bytes = try SingleUseInput.contents(path, of: "a key (.p8)") ?? []
                let name = path == "-" ? "the key on standard input" : "the key from \"\(path)\""
                return try PushProviderKey(pem: bytes, keyID: keyID, teamID: teamID, name: name)
            case .variable(let text):
                return try PushProviderKey(
                    pem: Array(text.utf8), keyID: keyID, teamID: teamID, name: "the key in PUSHSEND_KEY_PEM")
            }
        } catch let error as PushCredentialsError {
            throw CommandFailure(error)
        }
    }
}

extension KeySource {
    /// Other users of the machine can read arguments, so the text is not accepted in place of the path.
    private static let isText = CommandFailure(.noSuchFile, isTextProblem)

    /// What to say about the text of a key in place of the path.
    static let isTextProblem = """
        This is the text of a key or certificate: give the path of its file, or put the text of a .p8 into the variable \
        PUSHSEND_KEY_PEM.
        """

    /// Refuses a file that is not a key, before any message about its ids.
    func refuseWhatIsNoKey() throws {
        // The ids have only the right form. Nothing is signed.
        let anyID = String(repeating: "X", count: 10)
        _ = try key(anyID, anyID)
    }
}
