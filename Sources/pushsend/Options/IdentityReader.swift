import PushCommandLine
import PushProvider

/// Opens the file of a certificate and its key. On a terminal, asks for a missing passphrase or identity.
struct IdentityReader {
    private var source: IdentitySource
    /// The source of the passphrase for a command that the user can paste.
    private let shellPassphrase: ShellPassphrase?
    /// Whether the user may be asked.
    let mayAsk: Bool
    private var passphrase: PushPassphrase?
    private var passphraseWasTyped = false
    private var wasChosen = false
    private let settings: Settings

    /// - Parameters:
    ///   - source: The files.
    ///   - options: The options of the certificate.
    ///   - settings: The settings.
    ///   - mayAsk: Whether the user may be asked.
    /// - Throws: ``CommandFailure`` if a pipe or the passphrase cannot be read.
    init(_ source: IdentitySource, _ options: IdentityOptions, _ settings: Settings, mayAsk: Bool) throws {
        try source.readPipe()
        self.source = source
        self.settings = settings
        self.mayAsk = mayAsk
        let isFile = try options.isFromFile(settings)
        passphrase = try options.passphrase.given(settings, ofFile: isFile)
        shellPassphrase = options.passphrase.shellPassphrase(settings, ofFile: isFile)
    }

    /// Reads the identity, and prints its warnings, unless the caller reports them.
    mutating func read(printsWarnings: Bool = true) throws -> PushIdentity {
        var attempts = 3
        while true {
            do throws(PushCredentialsError) {
                let identity = try source.identity(passphrase)
                if printsWarnings { for warning in identity.warnings { Output.note("warning: \(warning)") } }
                return identity
            } catch {
                guard mayAsk, attempts > 0, try ask(after: error) else { throw failure(error) }
                attempts -= 1
            }
        }
    }

    /// - Returns: Whether an answer of the user may solve the problem.
    private mutating func ask(after error: PushCredentialsError) throws -> Bool {
        switch error.code {
        case .passphraseNeeded where passphrase == nil: break
        case .wrongPassphrase where passphraseWasTyped: Output.note("  \(error)")
        case .severalIdentities:
            source = source.choosing(try Self.choice(of: error.names))
            wasChosen = true
            return true
        default: return false
        }
        passphrase = try Prompt.passphrase(of: source.lockedFile)
        passphraseWasTyped = true
        return true
    }

    private func failure(_ error: PushCredentialsError) -> CommandFailure {
        var failure = CommandFailure(error)
        switch error.code {
        case .passphraseNeeded:
            failure.message += " Without a terminal, use --passphrase-file FILE or PUSHSEND_PASSPHRASE."
        case .wrongPassphrase where passphrase?.isEmpty == true:
            failure.message += " The passphrase you gave is empty."
        case .severalIdentities, .noSuchIdentity: failure.message += " Choose with --identity NAME."
        default: break
        }
        for file in source.files { failure = settings.locating(failure, ofFile: file) }
        return failure
    }

    /// The flags for curl with the same identity. A typed passphrase must be in a variable.
    var curlFlags: [String] {
        let passphrase = passphraseWasTyped ? .variable : shellPassphrase
        return source.curlFlags + (passphrase.map { ["--pass \($0.word)"] } ?? [])
    }

    /// The name of the identity that the user chose. As a flag, it avoids the question.
    var chosenName: String? {
        guard wasChosen, case .p12(_, let name?) = source else { return nil }
        return name
    }

    private static func choice(of names: [String]) throws -> String {
        let list = names.enumerated().map { "  \($0.offset + 1)  \($0.element)" }.joined(separator: "\n")
        return try Prompt.ask("Identity", hint: "There are several identities in the file:\n\(list)") { answer in
            if let number = Int(answer), names.indices.contains(number - 1) { return names[number - 1] }
            guard names.contains(answer) else { throw CommandFailure.usage("Give a number from 1 to \(names.count).") }
            return answer
        }
    }
}

extension Prompt {
    static func passphrase(of file: String) throws -> PushPassphrase {
        PushPassphrase(bytes: try secret("Passphrase of \(file)"))
    }
}
