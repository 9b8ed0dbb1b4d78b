public import APNSVocabulary

/// How the mock behaves where the real service is not known for sure.
///
/// The defaults are the best guesses; each can be turned, so that a client can be tested against both sides. Where a
/// reason is optional, `nil` means that such requests are accepted.
public struct MockVariants: Hashable, Sendable {
    /// From when on a provider token counts as updated too often.
    public enum TokenUpdateRule: Sendable, Hashable {
        /// Another `iat` comes before the current one has been in use on the connection for 20 minutes.
        case sinceFirstUse
        /// Another `iat` comes that is not at least 20 minutes younger than the current one.
        case betweenIssueTimes
    }

    // MARK: Connections

    /// Whether streams beyond an announced limit are reset with REFUSED_STREAM while the client has not acknowledged the limit.
    /// `node:http2` opens such streams before it has seen the SETTINGS.
    public var refusesEarlyStreams = false

    // MARK: Provider tokens

    /// The reason for a key of the other environment: `BadEnvironmentKeyInToken` is what people see,
    /// `BadEnvironmentKeyIdInToken` is what Apple's page says.
    public var environmentReason = RejectionReason.badEnvironmentKeyInToken
    /// The reason for a second team on a connection.
    public var secondTeamReason = RejectionReason.invalidProviderToken
    /// How far `iat` may lie in the future, in seconds; beyond it `InvalidProviderToken`.
    public var futureToleranceSeconds = 3600.0
    /// Whether `iat` may be the text of a number. One client writes it so and is accepted.
    public var acceptsTextIssueTime = true
    /// Whether a signature may be DER instead of raw.
    public var acceptsDERSignature = true
    /// Whether a token may be written in standard base64 (`+` and `/`) instead of base64url. One library writes it so.
    public var acceptsStandardBase64 = true
    /// Whether `alg` may be `ES512` above an ES256 signature. One library writes it so.
    public var acceptsES512Name = true
    /// From when on a provider token counts as updated too often.
    public var tokenUpdateRule = TokenUpdateRule.betweenIssueTimes

    // MARK: Certificates

    /// How a certificate that is not accepted is told: by a GOAWAY with the reason, as seen at Apple's, or with a 403 to
    /// each request, as Apple's page has it.
    public var refusesCertificatesByGoAway = true
    /// The reason for a topic that the certificate does not name.
    public var topicOutsideCertificateReason = RejectionReason.topicDisallowed

    // MARK: Headers

    /// Whether an `apns-id` may have upper-case letters, against the form that Apple calls canonical.
    public var acceptsUpperCaseMessageID = true
    /// In which letters the mock spells the `apns-id` of a request that brought none.
    public var generatedIDLetters = AnswerIDs.LetterCase.upper
    /// The reason for a topic that a topic-specific key does not cover.
    public var uncoveredTopicReason = RejectionReason.topicDisallowed
    /// The reason for a topic whose suffix is not that of the push type.
    public var topicAgainstPushTypeReason: RejectionReason? = .topicDisallowed
    /// The reason for a background push with priority 10.
    public var urgentBackgroundReason: RejectionReason? = .badPriority
    /// The reason for an expiration in the past, other than 0.
    public var pastExpirationReason: RejectionReason?

    // MARK: Payload and device

    /// The reason for a body that is not a JSON object.
    public var notJSONReason: RejectionReason?
    /// How many requests a device token may get before `TooManyRequests`; `nil` for any number.
    public var deviceRateLimit: RateLimit?

    /// The best guesses.
    public init() {}
}
