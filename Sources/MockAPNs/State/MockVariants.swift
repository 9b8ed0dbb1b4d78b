public import APNSVocabulary

/// How the mock behaves where the behaviour of the real service is uncertain.
///
/// There is one property for each uncertain behaviour. The defaults are the best guesses. You can change each one to
/// test a client against both behaviours. If a reason is `nil`, such requests are accepted.
public struct MockVariants: Hashable, Sendable {
    /// Answers that differ from those of the checks, by the id of the check's fact: the reason, or `nil` to accept what the
    /// check refuses. `pushsend verify` finds them.
    public var answers: [String: RejectionReason?] = [:]

    // MARK: Connections

    /// Whether streams above an announced limit are reset with REFUSED_STREAM while the client has not acknowledged the
    /// limit. `node:http2` opens such streams before it receives the SETTINGS.
    public var refusesEarlyStreams = false
    /// The maximum number of open streams on a connection before its first authenticated request. APNs allows 1.
    public var streamsBeforeAuthentication: UInt32 = 1
    /// The maximum number of open streams on a connection after its first authenticated request. APNs allows 1000.
    public var streamsAfterAuthentication: UInt32 = 1000
    /// Whether a rejection lowers the maximum number of open streams to 1, and the next acceptance restores it. This was
    /// observed, but not always.
    public var fallsToOneStream = false
    /// The number of rejections after which the mock sends GOAWAY and closes the connection; `nil` for no limit.
    /// `BadDeviceToken` counts twice, and 410 does not count. APNs disconnects after too many errors, but Apple names no number.
    public var errorsBeforeGoAway: Int?
    /// How long a connection may have no open stream before the mock sends GOAWAY with the reason `IdleTimeout`; `nil` for no
    /// limit. Apple names the reason, but no time. It applies to connections that are opened later.
    public var idleTime: Duration?
    /// How long a connection may have no open stream before the mock goes silent: it reads and sends nothing more, and closes
    /// nothing, like a router that has dropped the connection. `nil` for never. It applies to connections that are opened later.
    public var silenceAfter: Duration?
    /// The flow-control window of each stream that the mock announces, in bytes. APNs announces 65 535. It applies to connections
    /// that are opened later, like the next two.
    public var announcedWindow: UInt32 = 65_535
    /// The maximum size of a header list that the mock announces, in bytes. APNs announces 8000. A client may send more.
    public var announcedHeaderListSize: UInt32 = 8000
    /// The maximum size of a frame that the mock announces, in bytes. APNs announces 16 384.
    public var announcedFrameSize: UInt32 = 16_384

    // MARK: Provider tokens

    /// The reason for a key of the other environment. The default, `BadEnvironmentKeyInToken`, was observed. Apple's
    /// page has `BadEnvironmentKeyIdInToken`.
    public var environmentReason = RejectionReason.badEnvironmentKeyInToken
    /// The reason for a second team on a connection.
    public var secondTeamReason = RejectionReason.invalidProviderToken
    /// How far `iat` may be in the future. Beyond it, the answer is `InvalidProviderToken`.
    public var futureTolerance = Duration.seconds(3600)
    /// Whether `iat` may be a string that contains a number. Two clients send this, and APNs accepts it.
    public var acceptsTextIssueTime = true
    /// Whether a signature may be in DER form instead of raw.
    public var acceptsDERSignature = true
    /// Whether a token may be in standard base64 (`+` and `/`) instead of base64url. One library sends this.
    public var acceptsStandardBase64 = true
    /// Whether `alg` may be `ES512`, with a SHA-512 signature of a P-256 key whose r and s have 66 bytes each. One library
    /// sends this.
    public var acceptsES512Name = true
    /// Whether a provider token counts as updated too often if another `iat` arrives before the current one has been in use on the connection
    /// for 20 minutes; otherwise, if its `iat` is less than 20 minutes after the current one.
    public var countsTokenUpdatesByUse = false

    // MARK: Certificates

    /// How a certificate is refused: with a GOAWAY with the reason, as observed on the real service (`true`), or with a
    /// 403 for each request, as on Apple's page (`false`).
    public var refusesCertificatesByGoAway = true
    /// The reason for a topic that the certificate does not name.
    public var topicOutsideCertificateReason = RejectionReason.topicDisallowed
    /// The reason for an mdm push with the certificate of an app, instead of the MDM certificate.
    public var mdmWithoutMDMCertificateReason: RejectionReason? = .topicDisallowed

    // MARK: Headers

    /// Whether an `apns-id` may have upper-case letters. Apple calls the form with lower-case letters canonical.
    public var acceptsUpperCaseMessageID = true
    /// Whether the `apns-id` that the mock generates for a request without one has lower-case letters.
    public var generatesLowerCaseID = false
    /// The reason for a topic that a topic-specific key does not cover.
    public var uncoveredTopicReason = RejectionReason.topicDisallowed
    /// Push types that are accepted besides those that the mock knows, for a push type that Apple has added since. Any
    /// topic is right for them.
    public var pushTypes: Set<String> = []
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

    // MARK: Delivery counts

    /// What becomes of an export of delivery counts.
    public enum ExportStatus: String, Sendable, Hashable, CaseIterable {
        case processing = "PROCESSING"
        /// It can be downloaded.
        case success = "SUCCESS"
        case failed = "FAILED"
        /// It was made too long ago.
        case expired = "EXPIRED"
    }

    /// What becomes of exports.
    public var exportStatus = ExportStatus.success
    /// How long an export is being made.
    public var exportTime = Duration.zero

    // MARK: Payload and device

    /// The reason for a body that is not a JSON object.
    public var notJSONReason: RejectionReason?
    /// How many requests a device token may get before `TooManyRequests`; `nil` for no limit.
    package var deviceRateLimit: MockDeviceRateLimit?

    /// Creates variants with the defaults.
    public init() {}
}

/// The letter case of the ids in answers.
package enum MockAnswerIDLetters: Sendable, Hashable {
    /// `1294465C-E2AA-…`, as APNs generates them.
    case upper
    /// `1294465c-e2aa-…`, the form that Apple's documentation calls canonical.
    case lower
}

/// The maximum number of requests in a time window.
package struct MockDeviceRateLimit: Hashable, Sendable {
    /// The maximum number of requests in one window.
    package let count: Int
    /// The length of the window. It starts with the first request.
    package let window: Duration

    var seconds: Double { window / .seconds(1) }

    package init(count: Int, per window: Duration) {
        self.count = count
        self.window = window
    }
}
