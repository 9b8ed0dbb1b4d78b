import ArgumentParser
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

    /// The passphrase source for a command that the user can paste; `nil` if the passphrase is typed.
    var shellWord: String? {
        if file == nil, Fallback.value("PASSPHRASE") != nil { return "\"$PUSHSEND_PASSPHRASE\"" }
        guard let path, path != "-" else { return nil }
        return "\"$(head -n 1 \(ShellWord.quoted(AbsolutePath.of(path))))\""
    }

    private var path: String? { file ?? Fallback.value("PASSPHRASE_FILE") }

    /// Whether the passphrase comes from standard input.
    var readsStandardInput: Bool { path == "-" }

    /// Returns the passphrase, if there is one without a question.
    func given() throws -> Passphrase? {
        // The file on the command line overrides the variable.
        if file == nil, let text = Fallback.value("PASSPHRASE") { return Passphrase(text) }
        guard let path else { return nil }
        let bytes = try OnceReadable.contents(path, of: "a passphrase") ?? Self.bytes(path)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return Passphrase(bytes: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandFailure(
                status: .noSuchFile, message: "The file of --passphrase-file does not exist or cannot be read.")
        }
        return Array(data)
    }
}
