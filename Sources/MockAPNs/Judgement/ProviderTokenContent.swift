/// What a provider token says, and whether its signature holds.
public struct ProviderTokenContent: Hashable, Sendable {
    /// How the 64 bytes of an ES256 signature are written.
    public enum SignatureForm: Hashable, Sendable {
        /// r and s side by side, as RFC 7518 demands.
        case raw
        /// An ASN.1 sequence, as OpenSSL's command line and Java write it. APNs takes it too.
        case der
    }

    /// `alg` of the header.
    public let algorithm: String
    /// `kid` of the header.
    public let keyID: String
    /// `iss` of the claims: the team id.
    public let teamID: String
    /// `iat` of the claims.
    public let issuedAt: Moment
    /// Whether `iat` was written as text instead of as a number.
    public let issueTimeIsText: Bool
    /// Whether the signature holds.
    public let signature: SignatureCheck
    /// How the signature is written.
    public let signatureForm: SignatureForm

    /// Takes what was read.
    public init(
        algorithm: String,
        keyID: String,
        teamID: String,
        issuedAt: Moment,
        issueTimeIsText: Bool = false,
        signature: SignatureCheck,
        signatureForm: SignatureForm = .raw
    ) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        self.issueTimeIsText = issueTimeIsText
        self.signature = signature
        self.signatureForm = signatureForm
    }
}
