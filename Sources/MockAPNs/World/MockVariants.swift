public import APNSVocabulary

/// How the mock behaves where the behaviour of the real service is uncertain.
///
/// There is one property for each uncertain behaviour. The defaults are the best guesses. You can change each one to
/// test a client against both behaviours. If a reason is `nil`, such requests are accepted.
public struct MockVariants: Hashable, Sendable {
    /// When a provider token counts as updated too often.
    public enum TokenUpdateRule: Sendable, Hashable {
        /// A token with another `iat` arrives before the current one has been in use on the connection for 20 minutes.
        case sinceFirstUse
        /// A token arrives whose `iat` is less than 20 minutes after the current one.
        case betweenIssueTimes
    }

    // MARK: Connections

    /// Whether streams above an announced limit are reset with REFUSED_STREAM while the client has not acknowledged the
    /// limit. `node:http2` opens such streams before it receives the SETTINGS.
    public var refusesEarlyStreams = false

    // MARK: Provider tokens

    /// The reason for a key of the other environment. The default, `BadEnvironmentKeyInToken`, was observed. Apple's
    /// page has `BadEnvironmentKeyIdInToken`.
    public var environmentReason = RejectionReason.badEnvironmentKeyInToken
    /// The reason for a second team on a connection.
    public var secondTeamReason = RejectionReason.invalidProviderToken
    /// How far `iat` may be in the future. Beyond it, the answer is `InvalidProviderToken`.
    public var futureTolerance = Duration.seconds(3600)
    /// Whether `iat` may be a string that contains a number. One client sends this, and APNs accepts it.
    public var acceptsTextIssueTime = true
    /// Whether a signature may be in DER form instead of raw.
    public var acceptsDERSignature = true
    /// Whether a token may be in standard base64 (`+` and `/`) instead of base64url. One library sends this.
    public var acceptsStandardBase64 = true
    /// Whether `alg` may be `ES512` with an ES256 signature. One library sends this.
    public var acceptsES512Name = true
    /// When a provider token counts as updated too often.
    public var tokenUpdateRule = TokenUpdateRule.betweenIssueTimes

    // MARK: Certificates

    /// How a certificate is refused: with a GOAWAY with the reason, as observed on the real service (`true`), or with a
    /// 403 for each request, as on Apple's page (`false`).
    public var refusesCertificatesByGoAway = true
    /// The reason for a topic that the certificate does not name.
    public var topicOutsideCertificateReason = RejectionReason.topicDisallowed

    // MARK: Headers

    /// Whether an `apns-id` may have upper-case letters. Apple calls the form with lower-case letters canonical.
    public var acceptsUpperCaseMessageID = true
    /// The letter case of the `apns-id` that the mock generates for a request without one.
    public var generatedIDLetters = AnswerIDLetters.upper
    /// The reason for a topic that a topic-specific key does not cover.
    public var uncoveredTopicReason = RejectionReason.topicDisallowed
    /// The reason for a topic without the suffix of its push type.
    public var topicAgainstPushTypeReason: RejectionReason? = .topicDisallowed
    /// The reason for a background push with priority 10.
    public var urgentBackgroundReason: RejectionReason? = .badPriority
    /// The reason for an expiration in the past, other than 0.
    public var pastExpirationReason: RejectionReason?

    // MARK: Broadcasts and channels

    /// The bundle ids whose broadcast capability is off: their requests get `FeatureNotEnabled`.
    public var appsWithoutBroadcast: Set<String> = []
    /// The maximum number of channels of an app in one environment. APNs allows 10 000.
    public var channelLimit = APNSLimit.channels

    // MARK: Payload and device

    /// The reason for a body that is not a JSON object.
    public var notJSONReason: RejectionReason?
    /// How many requests a device token may get before `TooManyRequests`; `nil` for no limit.
    public var deviceRateLimit: DeviceRateLimit?

    /// Creates variants with the defaults.
    public init() {}
}
