import PushProvider

/// The source of a signing key.
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
    private static let isText = CommandFailure(status: .noSuchFile, message: isTextProblem)

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
