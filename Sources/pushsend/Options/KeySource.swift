import PushProvider

/// Where the key of a signer comes from.
enum KeySource {
    case file(String)
    /// Standard input or a pipe: its path.
    case pipe(String)
    /// The text of the key, in the variable `PUSHSEND_KEY_PEM`.
    case variable(String)

    /// What a flag or a variable names.
    init(path: String) {
        self = OnceReadable.isOne(path) ? .pipe(path) : .file(path)
    }

    /// Its path, where it is a file with a name of its own.
    var file: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The key, which is not looked at further.
    func key(_ keyID: String, _ teamID: String) throws -> ProviderKey {
        do {
            switch self {
            case .file(let path): return try ProviderKey(p8File: path, keyID: keyID, teamID: teamID)
            case .pipe(let path):
                let bytes = try OnceReadable.contents(path, of: "a key (.p8)") ?? []
                let name = path == "-" ? "the key on standard input" : "the key from \"\(path)\""
                return try ProviderKey(pem: bytes, keyID: keyID, teamID: teamID, name: name)
            case .variable(let text):
                return try ProviderKey(
                    pem: Array(KeyText.lines(of: text).utf8), keyID: keyID, teamID: teamID,
                    name: "the key in PUSHSEND_KEY_PEM")
            }
        } catch let error as CredentialsError {
            throw CommandFailure(error)
        }
    }
}

extension KeySource {
    /// Refuses what is no key at all, before anything is said of its ids.
    func refuseWhatIsNoKey() throws {
        // These only have the form of ids, and nothing is signed.
        let anyID = String(repeating: "X", count: 10)
        _ = try key(anyID, anyID)
    }
}
