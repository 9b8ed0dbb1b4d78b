import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

/// The source of the passphrase for a `.p12` or an encrypted key. It is never on the command line.
struct PassphraseOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-file"),
        help: ArgumentHelp(
            "A file whose first line is the passphrase of the .p12 or the key; - for standard input.",
            valueName: "file|-"),
        completion: .file()
    )
    var file: String?

    // Accepted only to explain how to give a passphrase.
    @Option(name: [.customShort("p"), .customLong("passphrase")], help: .hidden)
    var passphrase: String?

    @Option(name: [.customLong("pass"), .customLong("password")], help: .hidden)
    var password: String?

    func validate() throws {
        if passphrase != nil || password != nil { throw ValidationError(Self.refusal) }
    }

    static let refusal = """
        Other users of this machine can read a passphrase on the command line. Leave it out to be asked, or use \
        --passphrase-file FILE or the variable PUSHSEND_PASSPHRASE.
        """

    /// Refuses files with a passphrase after them, before a message repeats one of them.
    static func refusePassphrases(in paths: [String?]) throws {
        if paths.contains(where: { $0.map(holdsPassphrase) ?? false }) { throw ValidationError(refusal) }
    }

    /// Whether the path has the form `push.p12:secret`, as curl accepts it.
    private static func holdsPassphrase(_ path: String) -> Bool {
        guard let colon = path.lastIndex(of: ":"), !FileManager.default.fileExists(atPath: path) else { return false }
        let file = path[..<colon].lowercased()
        return [".p12", ".pfx", ".pem", ".key", ".crt"].contains { file.hasSuffix($0) }
            || FileManager.default.fileExists(atPath: String(path[..<colon]))
    }

    /// The passphrase of a command that the user can paste; `nil` if it is typed or printed by a command.
    func shellPassphrase(_ settings: Settings, ofFile isFile: Bool) -> ShellPassphrase? {
        if file == nil, Fallback.passphrase.value != nil { return .variable }
        guard case .file(let path)? = source(settings, ofFile: isFile), path != "-" else { return nil }
        return .firstLine(of: path)
    }

    private func source(_ settings: Settings, ofFile isFile: Bool) -> PassphraseSource? {
        file.map(PassphraseSource.file) ?? settings.passphraseSource(ofFile: isFile)
    }

    func readsStandardInput(_ settings: Settings) -> Bool { source(settings, ofFile: false) == .file("-") }

    /// Returns the passphrase, if there is one without a question.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - isFile: Whether a configuration file names the credentials, so that its passphrase counts.
    /// - Returns: The passphrase; `nil` if none is given.
    /// - Throws: ``CommandFailure`` if the file cannot be read or the command fails.
    func given(_ settings: Settings, ofFile isFile: Bool) throws -> PushPassphrase? {
        // The file on the command line overrides the variable.
        if file == nil, let text = Fallback.passphrase.value { return PushPassphrase(text) }
        switch source(settings, ofFile: isFile) {
        case .file(let path):
            if let bytes = try SingleUseInput.contents(path, of: "a passphrase") {
                return PushPassphrase(firstLineOf: bytes)
            }
            return try passphrase(inFile: path)
        case .command(let command, let folder):
            return try PassphraseCommand.passphrase(command, folder: folder)
        case nil: return nil
        }
    }

    private func passphrase(inFile path: String) throws -> PushPassphrase {
        do { return try PushPassphrase(file: path) } catch {
            // Somebody may have given the passphrase in place of the file.
            let name = file == nil ? "passphrase file \"\(path.printable)\"" : "file of --passphrase-file"
            throw CommandFailure(.noSuchFile, "The \(name) doesn't exist or can't be read.")
        }
    }
}

/// Where a shell gets the passphrase.
enum ShellPassphrase {
    case variable
    case firstLine(of: String)

    /// The word of a command. It reads the file, because editors on Windows save more than the passphrase, and it contains no secret.
    var word: String {
        guard case .firstLine(let path) = self else { return "\"$PUSHSEND_PASSPHRASE\"" }
        let quoted = ShellWord.quoted(AbsolutePath.of(path))
        var command = "head -n 1 \(quoted)"
        if !SingleUseInput.isOne(path), var file = try? KeyFile(path: path) {
            defer { file.wipe() }
            if let encoding = Self.encoding(file.bytes) {
                command = "iconv -f \(encoding) -t UTF-8 \(quoted) | head -n 1"
            } else if file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                command += " | tail -c +4"
            }
            let line = FileText.utf8(file.bytes).prefix { $0 != UInt8(ascii: "\n") }
            if line.contains(UInt8(ascii: "\r")) { command += " | tr '\\r' '\\n' | head -n 1" }
        }
        return "\"$(\(command))\""
    }

    /// The name of UTF-16 for `iconv`.
    private static func encoding(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        return FileText.isUTF16WithoutMark(bytes.prefix(8)).map { $0 ? "UTF-16BE" : "UTF-16LE" }
    }
}
