/// With what a client proves who it is.
public struct PushCredentials: Sendable {
    enum Kind {
        case token(ProviderKey)
        case identity(PushIdentity)
    }

    let kind: Kind

    /// Provider tokens, signed with a key of Apple's developer portal.
    public static func token(_ key: ProviderKey) -> PushCredentials {
        PushCredentials(kind: .token(key))
    }

    /// A push certificate, shown when the connection is opened. Its topics and environments limit what can be sent.
    public static func identity(_ identity: PushIdentity) -> PushCredentials {
        PushCredentials(kind: .identity(identity))
    }

    /// The certificate that is shown; `nil` with provider tokens.
    public var certificate: PushCertificate? {
        switch kind {
        case .token: nil
        case .identity(let identity): identity.certificate
        }
    }

    /// What may be wrong about the key or the certificate, in sentences.
    public var warnings: [String] {
        switch kind {
        case .token(let key): key.warnings
        case .identity(let identity): identity.warnings
        }
    }

    /// Where provider tokens for an environment, given by its ``PushEnvironment/clockName``, come from; `nil` when a certificate
    /// says who is there.
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
