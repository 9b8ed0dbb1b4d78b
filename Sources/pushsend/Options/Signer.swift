import PushProvider

/// With what a push is signed, as the options say it.
enum Signer: Sendable {
    /// A key that makes provider tokens, and the flags with which `pushsend jwt` makes the same.
    case key(ProviderKey, flags: [String])
    /// A certificate with its key, and the flags with which curl shows the same.
    case identity(PushIdentity, curlFlags: [String])

    var credentials: PushCredentials {
        switch self {
        case .key(let key, _): .token(key)
        case .identity(let identity, _): .identity(identity)
        }
    }
}
