import PushWire

/// Loads credentials from a state folder, and creates missing ones.
///
/// If a start is interrupted at any point, the next start can continue with the folder: `ca.pem` is written after its key, so the
/// authority is complete when `ca.pem` exists. The rest can be created again from the authority.
struct KeptCredentials {
    let folder: StateFolder
    let names: [String]
    /// Unix seconds.
    let now: Int64

    private static let authorityFile = "ca.pem"
    private static let authorityKeyFile = "ca-key.pem"
    private static let serverFile = "server.pem"
    private static let serverKeyFile = "server-key.pem"
    private static let keyFile = "AuthKey_\(MockCredentials.keyID).p8"
    /// The minimum remaining validity of a kept certificate, in seconds. With less, a server certificate is replaced,
    /// and an authority is an error.
    private static let week: Int64 = 7 * 86400

    func loadOrMake() throws(MockCredentialsError) -> MockCredentials {
        let authority = if let kept = try loadAuthority() { kept } else { try makeAuthority() }
        let key = if let kept = try loadKey() { kept } else { try makeKey() }
        let server = if let kept = try loadServer(of: authority) { kept } else { try makeServer(of: authority) }
        return try MockCredentials(
            .init(key: key), authorityPEM: authority.certificatePEM,
            authorityKeyPEM: try MockCredentials.made(try authority.privateKeyPEM()), server: server,
            files: .init(
                folder: folder.path, authority: folder.path(of: Self.authorityFile),
                p8: folder.path(of: Self.keyFile))
        )
    }

    /// Returns the authority; `nil` in a new folder.
    private func loadAuthority() throws(MockCredentialsError) -> CertificateAuthority? {
        guard let certificate = try folder.contents(of: Self.authorityFile) else {
            // The authority existed before, and clients may trust it: do not replace it silently.
            if try folder.contents(of: Self.serverFile) != nil { throw missing(Self.authorityFile) }
            return nil
        }
        guard var key = try folder.contents(of: Self.authorityKeyFile) else { throw missing(Self.authorityKeyFile) }
        defer { SecretBytes.wipe(&key) }
        let authority: CertificateAuthority
        do throws(CertificateError) {
            authority = try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
        } catch {
            let ofKey = error.code == .unusableKey || error.code == .keyMismatch
            throw damaged(ofKey ? Self.authorityKeyFile : Self.authorityFile, error.description)
        }
        guard authority.validity.contains(now), authority.validity.contains(now + Self.week) else {
            throw .authorityNotInForce(
                folder.path(of: Self.authorityFile), tooEarly: now < authority.validity.lowerBound, folder: folder.path)
        }
        return authority
    }

    private func makeAuthority() throws(MockCredentialsError) -> CertificateAuthority {
        let authority = try MockCredentials.makeAuthority(now: now)
        var key = try MockCredentials.made(try authority.privateKeyPEM())
        defer { SecretBytes.wipe(&key) }
        try folder.store(key, as: Self.authorityKeyFile, mode: 0o600)
        try folder.store(authority.certificatePEM, as: Self.authorityFile, mode: 0o644)
        return authority
    }

    private func loadKey() throws(MockCredentialsError) -> SigningKey? {
        guard var pem = try folder.contents(of: Self.keyFile) else { return nil }
        defer { SecretBytes.wipe(&pem) }
        do throws(KeyError) { return try SigningKey(pem: pem) } catch { throw damaged(Self.keyFile, error.description) }
    }

    private func makeKey() throws(MockCredentialsError) -> SigningKey {
        let key = try MockCredentials.made(try SigningKey.generate())
        var pem = try MockCredentials.made(try key.pem())
        defer { SecretBytes.wipe(&pem) }
        try folder.store(pem, as: Self.keyFile, mode: 0o600)
        return key
    }

    /// Returns the server's certificate and key; `nil` if they cannot be used. They can be replaced safely: clients trust the
    /// authority.
    private func loadServer(
        of authority: CertificateAuthority
    ) throws(MockCredentialsError) -> MockCredentials.PEMPair? {
        guard let pem = try folder.contents(of: Self.serverFile), let key = try folder.contents(of: Self.serverKeyFile),
            let certificate = try? Certificate(pem: pem), certificate.fits(privateKeyPEM: key),
            certificate.isIssued(by: authority),
            certificate.validity.contains(now), certificate.validity.contains(now + Self.week),
            names.allSatisfy(certificate.covers)
        else { return nil }
        return MockCredentials.PEMPair(certificate: pem, key: key)
    }

    private func makeServer(
        of authority: CertificateAuthority
    ) throws(MockCredentialsError) -> MockCredentials.PEMPair {
        let pair = try MockCredentials.issue(from: authority, names: names, now: now)
        try folder.store(pair.key, as: Self.serverKeyFile, mode: 0o600)
        try folder.store(pair.certificate, as: Self.serverFile, mode: 0o644)
        return pair
    }

    private func missing(_ file: String) -> MockCredentialsError {
        .missing(folder.path(of: file), folder: folder.path)
    }

    private func damaged(_ file: String, _ why: String) -> MockCredentialsError {
        .damaged(folder.path(of: file), why, folder: folder.path)
    }
}
