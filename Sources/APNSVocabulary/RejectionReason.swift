/// The reason of a rejection: `reason` in the body of an APNs answer.
///
/// Unknown reasons are allowed and kept unchanged. Only known reasons have an ``explanation``.
/// Sources: Apple, "Handling notification responses from APNs", and observed answers.
///
/// The explanations make it long: extensions have one for each reason.
public struct RejectionReason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The reason in the answer, for example `BadDeviceToken`.
    public let rawValue: String

    /// Creates a reason from any word. The word is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a reason from any word. The word is not checked.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The reason in the answer, without characters that could control a terminal, and with at most 200 characters.
    public var description: String { rawValue.printable }
}

extension RejectionReason {
    /// 400: the collapse id is longer than 64 bytes.
    public static let badCollapseID: Self = "BadCollapseId"
    /// 400: the device token is malformed, or belongs to the other environment.
    public static let badDeviceToken: Self = "BadDeviceToken"
    /// 400: the expiration is not a number of seconds.
    public static let badExpirationDate: Self = "BadExpirationDate"
    /// 400: the `apns-id` is not a UUID.
    public static let badMessageID: Self = "BadMessageId"
    /// 400: the priority is not 10, 5 or 1.
    public static let badPriority: Self = "BadPriority"
    /// 400: the topic is malformed.
    public static let badTopic: Self = "BadTopic"
    /// 400: the device token belongs to another topic.
    public static let deviceTokenNotForTopic: Self = "DeviceTokenNotForTopic"
    /// 400: a header was sent twice.
    public static let duplicateHeaders: Self = "DuplicateHeaders"
    /// 400: the connection was idle for too long.
    public static let idleTimeout: Self = "IdleTimeout"
    /// 400: the push type is unknown.
    public static let invalidPushType: Self = "InvalidPushType"
    /// 400: the path has no device token.
    public static let missingDeviceToken: Self = "MissingDeviceToken"
    /// 400: the topic is required but missing.
    public static let missingTopic: Self = "MissingTopic"
    /// 400: there is no body.
    public static let payloadEmpty: Self = "PayloadEmpty"
    /// 400: the sender may not use this topic.
    public static let topicDisallowed: Self = "TopicDisallowed"
    /// 400, broadcasts only: the channel id is not base64, or it is too long.
    public static let badChannelID: Self = "BadChannelId"
    /// 400, broadcasts only: the request about a channel has an unknown attribute.
    public static let badRequestParameters: Self = "BadRequestParams"
    /// 400, broadcasts only: the body of the request about a channel is not valid JSON.
    public static let badRequestPayload: Self = "BadRequestPayload"
    /// 400, broadcasts only: the app has the maximum number of channels.
    public static let cannotCreateChannelConfig: Self = "CannotCreateChannelConfig"
    /// 400, broadcasts only: the channel does not exist.
    public static let channelNotRegistered: Self = "ChannelNotRegistered"
    /// 400, broadcasts only: the broadcast capability of the app is off.
    public static let featureNotEnabled: Self = "FeatureNotEnabled"
    /// 400, broadcasts only: the request has no channel id.
    public static let missingChannelID: Self = "MissingChannelId"
    /// 400, broadcasts only: the storage policy of a new channel is missing or invalid. Apple does not document it.
    public static let missingChannelQueueSize: Self = "MissingChannelQueueSize"
    /// 400, broadcasts only: the request has no push type.
    public static let missingPushType: Self = "MissingPushType"
    /// 403, broadcasts only: the credentials are not for the bundle id of the path.
    public static let topicMismatch: Self = "TopicMismatch"
    /// 403: the client certificate is not valid.
    public static let badCertificate: Self = "BadCertificate"
    /// 403: the client certificate is for the other environment.
    public static let badCertificateEnvironment: Self = "BadCertificateEnvironment"
    /// 403: the provider token is older than an hour.
    public static let expiredProviderToken: Self = "ExpiredProviderToken"
    /// 403: the action is not allowed.
    public static let forbidden: Self = "Forbidden"
    /// 403: the provider token is not valid or its signature is wrong.
    public static let invalidProviderToken: Self = "InvalidProviderToken"
    /// 403: there is neither a provider token nor a client certificate.
    public static let missingProviderToken: Self = "MissingProviderToken"
    /// 403: the key is not related to the first key on this connection.
    public static let unrelatedKeyIDInToken: Self = "UnrelatedKeyIdInToken"
    /// 403: the key is for the other environment (the reason in Apple's documentation).
    public static let badEnvironmentKeyIDInToken: Self = "BadEnvironmentKeyIdInToken"
    /// 403: the key is for the other environment (the reason in observed answers).
    public static let badEnvironmentKeyInToken: Self = "BadEnvironmentKeyInToken"
    /// 404: APNs does not know the path.
    public static let badPath: Self = "BadPath"
    /// 405: the method is not POST.
    public static let methodNotAllowed: Self = "MethodNotAllowed"
    /// 410: the device token has expired.
    public static let expiredToken: Self = "ExpiredToken"
    /// 410: the device token is no longer active for the topic.
    public static let unregistered: Self = "Unregistered"
    /// 413: the payload is larger than the limit.
    public static let payloadTooLarge: Self = "PayloadTooLarge"
    /// 429: the provider token was changed too often.
    public static let tooManyProviderTokenUpdates: Self = "TooManyProviderTokenUpdates"
    /// 429: too many consecutive requests for one device token.
    public static let tooManyRequests: Self = "TooManyRequests"
    /// 500: Apple's server has an internal error.
    public static let internalServerError: Self = "InternalServerError"
    /// 503: the service is unavailable.
    public static let serviceUnavailable: Self = "ServiceUnavailable"
    /// 503: the server is shutting down.
    public static let shutdown: Self = "Shutdown"

    /// All known reasons: those for pushes to devices in the order of Apple's table, then those that only broadcasts
    /// and channels have.
    public static let known: [RejectionReason] = (explanations + broadcastExplanations).map(\.reason)

    /// The meaning of the reason and what to do; `nil` for an unknown reason.
    public var explanation: Explanation? { Self.explanationsByReason[self] }

    private static let explanationsByReason = Dictionary(
        uniqueKeysWithValues: (explanations + broadcastExplanations).map { ($0.reason, $0) }
    )
}
