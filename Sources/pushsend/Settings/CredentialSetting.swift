/// Credentials that a setting names.
enum CredentialSetting: Equatable {
    case key(Setting)
    /// The text of a key, from a variable.
    case keyText(String)
    case p12(Setting)
    case cert(Setting)

    /// Whether a configuration file names them.
    var isFile: Bool {
        switch self {
        case .key(let setting), .p12(let setting), .cert(let setting): setting.origin.isFile
        case .keyText: false
        }
    }
}

/// Where a passphrase is.
enum PassphraseSource: Equatable {
    case file(String)
    case command(Setting, folder: String)
}
