internal import PushWire

extension PushEnvironment {
    func makeContext(_ identity: PushIdentity? = nil) throws(PushCredentialsError) -> TLSContext {
        do throws(TLSError) {
            let trust: TLSContext.Trust =
                switch self.trust {
                case .apple: .system
                case .authorities(let pem): .authorities(pem: pem)
                }
            return try TLSContext.client(trust: trust, identity: identity?.identity, requiresALPN: requiresALPN)
        } catch {
            if error.code == .unusableIdentity {
                throw PushCredentialsError(.unusableIdentity, "The certificate can't be used: \(error.detail).")
            }
            throw PushCredentialsError(.unusableAuthorities, "The trusted authorities can't be used: \(error.detail).")
        }
    }
}

extension PushEnvironment.Trust {
    /// Trusts only the authorities in a PEM text, for example the authority of a mock.
    ///
    /// - Parameter pem: The text, with one or more certificates.
    /// - Returns: Trust in these authorities.
    public static func authorities(pem: String) -> PushEnvironment.Trust { .authorities(pem: Array(pem.utf8)) }

    /// Trusts only the authorities of a CA file.
    ///
    /// - Parameter path: The path of a PEM file.
    /// - Returns: Trust in these authorities.
    /// - Throws: ``PushCredentialsError`` if the file cannot be read, or has no certificate in PEM.
    public static func authorities(file path: String) throws(PushCredentialsError) -> PushEnvironment.Trust {
        let file = try KeyFile(path: path)
        let kind = CredentialFileKind(file.bytes)
        guard kind != .certificate, kind != .identity else { return .authorities(pem: file.bytes) }
        let advice =
            switch kind {
            case .certificateDER:
                "It is a certificate in DER: convert it with \"openssl x509 -inform DER -in CA.cer -out CA.pem\"."
            case let kind?: "It is \(kind.words)."
            case nil: "Such a certificate begins with -----BEGIN CERTIFICATE-----."
            }
        throw PushCredentialsError(.unusableAuthorities, "\"\(path)\" has no PEM certificate. \(advice)")
    }
}
