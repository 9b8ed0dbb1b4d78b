package import PushPlatform

/// The content of a provider token, and the result of checking its signature.
///
/// It never changes, and all copies share it: a token is read once and checked for each of its requests.
package final class ProviderTokenContent: Hashable, Sendable {
    package enum SignatureForm: Hashable, Sendable {
        /// r and s one after the other, as RFC 7518 requires: 64 bytes for ES256, 132 for ES512.
        case raw
        /// An ASN.1 sequence, as OpenSSL's command line and Java create it. APNs accepts it too.
        case der
    }

    /// `alg` of the header.
    package let algorithm: String
    /// `kid` of the header.
    package let keyID: String
    /// `iss` of the claims: the team id.
    package let teamID: String
    /// `iat` of the claims.
    package let issuedAt: Date
    /// Whether `iat` is a string instead of a number.
    package let issueTimeIsText: Bool
    /// Whether `iat` has a fraction of a second.
    package let issueTimeIsFraction: Bool
    /// `exp` of the claims, which APNs does not ask for; `nil` if it is absent or not a number.
    package let expiresAt: Date?
    package let signature: SignatureCheck
    package let signatureForm: SignatureForm
    /// Whether a part is in standard base64 (`+` and `/`) instead of base64url.
    package let isStandardBase64: Bool

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

    package static func == (left: ProviderTokenContent, right: ProviderTokenContent) -> Bool {
        left === right
            || left.algorithm == right.algorithm && left.keyID == right.keyID && left.teamID == right.teamID
                && left.issuedAt == right.issuedAt && left.issueTimeIsText == right.issueTimeIsText
                && left.issueTimeIsFraction == right.issueTimeIsFraction && left.expiresAt == right.expiresAt
                && left.signature == right.signature && left.signatureForm == right.signatureForm
                && left.isStandardBase64 == right.isStandardBase64
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(keyID)
        hasher.combine(issuedAt)
    }
}

/// The result of verifying the signature of a provider token with its key.
package enum SignatureCheck: Hashable, Sendable {
    case verified
    case wrong
    /// The key signed these bytes, but not as the algorithm of the header says.
    case otherAlgorithm
    case unknownKey
    /// Not checked. Allowed if every key is accepted; otherwise the request is rejected.
    case notChecked
}
