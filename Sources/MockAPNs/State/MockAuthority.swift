/// A certificate authority whose client certificates the mock accepts.
public struct MockAuthority: Hashable, Sendable {
    /// The common name of its certificate.
    public let commonName: String
    /// SHA-256 of its certificate, in lower-case hex.
    public let sha256: String
    /// Its certificate in PEM.
    public let pem: String
}
