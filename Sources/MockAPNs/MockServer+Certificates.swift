internal import PushWire

extension MockServer {
    /// The maximum number of authorities, and of revoked certificates.
    package static let maximumCertificates = 1000

    /// The authorities whose client certificates are accepted, in the order in which they were added. The mock's own is the first.
    package var authorities: [MockAuthority] { state.apns.authorities }

    /// Accepts the client certificates of another authority, on connections that are opened later.
    ///
    /// - Parameter pem: The certificate of the authority in PEM; further certificates in the text are ignored.
    /// - Returns: The authority.
    /// - Throws: ``MockStartError`` if there is no certificate in the text, or if it cannot issue others.
    @discardableResult
    package func add(authorityPEM pem: [UInt8]) throws(MockStartError) -> MockAuthority {
        let authority = try MockAuthority(pem: pem)
        state.change { apns in
            apns.authorities.removeAll { $0.sha256 == authority.sha256 }
            apns.authorities.append(authority)
        }
        return authority
    }

    /// Stops accepting the client certificates of an authority on new connections.
    ///
    /// - Parameter sha256: SHA-256 of the authority's certificate, in hex.
    /// - Returns: Whether they were accepted before.
    @discardableResult
    public func distrust(authority sha256: String) -> Bool {
        let sha256 = sha256.lowercased()
        return state.change { apns in
            let count = apns.authorities.count
            apns.authorities.removeAll { $0.sha256 == sha256 }
            return apns.authorities.count < count
        }
    }

    /// SHA-256 of the client certificates that were revoked, in lower-case hex, sorted.
    public var revokedCertificates: [String] { state.apns.revokedCertificates.sorted() }

    /// Stops accepting a client certificate: new connections get a GOAWAY, and requests on open ones get BadCertificate.
    ///
    /// - Parameter sha256: SHA-256 of the certificate, in hex. The record of a connection has it.
    public func revokeCertificate(_ sha256: String) {
        state.change { _ = $0.revokedCertificates.insert(sha256.lowercased()) }
    }

    /// Accepts a revoked client certificate again.
    ///
    /// - Parameter sha256: SHA-256 of the certificate, in hex.
    /// - Returns: Whether it was revoked.
    @discardableResult
    public func restoreCertificate(_ sha256: String) -> Bool {
        state.change { $0.revokedCertificates.remove(sha256.lowercased()) != nil }
    }
}

extension MockAuthority {
    init(pem: [UInt8]) throws(MockStartError) {
        do throws(CertificateError) {
            let certificate = try ProviderCertificate(authorityPEM: pem)
            self.init(
                commonName: certificate.commonName, sha256: certificate.fingerprint,
                pem: String(decoding: try ProviderCertificate.first(ofPEM: pem), as: UTF8.self))
        } catch {
            throw MockStartError(.unusableCertificate, "The authority can't be trusted: \(error)")
        }
    }
}
