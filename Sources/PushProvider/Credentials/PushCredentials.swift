/// The credentials of a client: provider tokens or a certificate.
public struct PushCredentials: Sendable {
    enum Kind {
        case token(PushProviderKey)
        case identity(PushIdentity)
    }

    let kind: Kind

    /// Provider tokens, signed with a key of Apple's developer portal.
    public static func token(_ key: PushProviderKey) -> PushCredentials {
        PushCredentials(kind: .token(key))
    }

    /// A push certificate, sent when the connection is opened. Its topics and environments limit what can be sent.
    public static func identity(_ identity: PushIdentity) -> PushCredentials {
        PushCredentials(kind: .identity(identity))
    }

    /// The certificate; `nil` with provider tokens.
    package var certificate: PushCertificate? { identity?.certificate }

    /// Possible problems of the key or the certificate, as sentences.
    public var warnings: [String] {
        switch kind {
        case .token(let key): key.warnings
        case .identity(let identity): identity.warnings
        }
    }

    /// Returns the source of provider tokens for an environment, given by its ``PushEnvironment/clockName``; `nil` with
    /// a certificate.
    func tokens(for environment: String) -> ProviderTokenSource? {
        switch kind {
        case .token(let key):
            ProviderTokenSource(signer: ProviderTokenSigner.shared(for: key), environment: environment)
        case .identity: nil
        }
    }

    var identity: PushIdentity? {
        switch kind {
        case .token: nil
        case .identity(let identity): identity
        }
    }
}
