package import PushPlatform

/// The content of a provider token, and the result of checking its signature.
package struct ProviderTokenContent: Hashable, Sendable {
    /// The encoding of a signature.
    package enum SignatureForm: Hashable, Sendable {
        /// r and s one after the other, as RFC 7518 requires: 64 bytes for ES256, 132 for ES512.
        case raw
        /// An ASN.1 sequence, as OpenSSL's command line and Java create it. APNs accepts it too.
        case der
    }

    /// `alg` of the header.
    package var algorithm: String { token.algorithm }
    /// `kid` of the header.
    package var keyID: String { token.keyID }
    /// `iss` of the claims: the team id.
    package var teamID: String { token.teamID }
    /// `iat` of the claims.
    package var issuedAt: Date { token.issuedAt }
    /// Whether `iat` is a string instead of a number.
    package var issueTimeIsText: Bool { token.issueTimeIsText }
    /// Whether `iat` has a fraction of a second.
    package var issueTimeIsFraction: Bool { token.issueTimeIsFraction }
    /// `exp` of the claims, which APNs does not ask for; `nil` if it is absent or not a number.
    package var expiresAt: Date? { token.expiresAt }
    /// The result of checking the signature.
    package var signature: SignatureCheck { token.signature }
    /// The encoding of the signature.
    package var signatureForm: SignatureForm { token.signatureForm }
    /// Whether a part is in standard base64 (`+` and `/`) instead of base64url.
    package var isStandardBase64: Bool { token.isStandardBase64 }

    /// Shared by all copies: a token is read once and checked for each of its requests.
    private let token: ReadToken

    /// Creates the content of a provider token.
    package init(
        algorithm: String,
        keyID: String,
        teamID: String,
        issuedAt: Date,
        issueTimeIsText: Bool = false,
        issueTimeIsFraction: Bool = false,
        expiresAt: Date? = nil,
        signature: SignatureCheck,
        signatureForm: SignatureForm = .raw,
        isStandardBase64: Bool = false
    ) {
        token = ReadToken(
            algorithm: algorithm, keyID: keyID, teamID: teamID, issuedAt: issuedAt, issueTimeIsText: issueTimeIsText,
            issueTimeIsFraction: issueTimeIsFraction, expiresAt: expiresAt, signature: signature,
            signatureForm: signatureForm, isStandardBase64: isStandardBase64)
    }
}

/// The result of verifying the signature of a provider token with its key.
package enum SignatureCheck: Hashable, Sendable {
    /// The key signed these bytes.
    case verified
    /// The key did not sign these bytes.
    case wrong
    /// The key signed these bytes, but not as the algorithm of the header says.
    case otherAlgorithm
    /// The mock has no key with this id.
    case unknownKey
    /// Not checked. Allowed if every key is accepted; otherwise the request is rejected.
    case notChecked
}

private final class ReadToken: Hashable, Sendable {
    let algorithm: String
    let keyID: String
    let teamID: String
    let issuedAt: Date
    let issueTimeIsText: Bool
    let issueTimeIsFraction: Bool
    let expiresAt: Date?
    let signature: SignatureCheck
    let signatureForm: ProviderTokenContent.SignatureForm
    let isStandardBase64: Bool

    init(
        algorithm: String, keyID: String, teamID: String, issuedAt: Date, issueTimeIsText: Bool,
        issueTimeIsFraction: Bool, expiresAt: Date?, signature: SignatureCheck,
        signatureForm: ProviderTokenContent.SignatureForm, isStandardBase64: Bool
    ) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        self.issueTimeIsText = issueTimeIsText
        self.issueTimeIsFraction = issueTimeIsFraction
        self.expiresAt = expiresAt
        self.signature = signature
        self.signatureForm = signatureForm
        self.isStandardBase64 = isStandardBase64
    }

    static func == (left: ReadToken, right: ReadToken) -> Bool {
        left === right
            || left.algorithm == right.algorithm && left.keyID == right.keyID && left.teamID == right.teamID
                && left.issuedAt == right.issuedAt && left.issueTimeIsText == right.issueTimeIsText
                && left.issueTimeIsFraction == right.issueTimeIsFraction && left.expiresAt == right.expiresAt
                && left.signature == right.signature && left.signatureForm == right.signatureForm
                && left.isStandardBase64 == right.isStandardBase64
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(keyID)
        hasher.combine(issuedAt)
    }
}
