import PushProvider

/// The credentials of a push, from the options.
enum Signer: Sendable {
    /// A key for provider tokens, and the flags with which `pushsend jwt` makes the same tokens.
    case key(PushProviderKey, flags: [String])
    /// A certificate with its key, and the flags with which curl uses it.
    case identity(PushIdentity, curlFlags: [String])

    var credentials: PushCredentials {
        switch self {
        case .key(let key, _): .token(key)
        case .identity(let identity, _): .identity(identity)
        }
    }
}
