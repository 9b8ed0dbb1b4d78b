extension RejectionReason {
    /// The meaning of a rejection, its usual cause, and what to do.
    public struct Explanation: Sendable, Hashable {
        /// The reason that is explained.
        public let reason: RejectionReason
        /// The HTTP status of an answer with this reason.
        public let status: Int
        /// What happened, in one sentence.
        public let meaning: String
        /// The usual cause, in one or two sentences: the sender, Apple, or neither.
        ///
        /// It shows where to look first. `meaning` and `advice` have the details.
        public let fault: String
        /// What to do, in one or two sentences.
        public let advice: String
        /// Whether the same notification may be sent again, and when.
        public let again: Again
        /// Whether the device token is no longer valid for the topic.
        ///
        /// Only a status of 410 means this. Any other rejection of a device token can be a mistake in the setup, and
        /// must not delete valid tokens.
        public let endsDeviceToken: Bool
    }

    /// Whether sending the same notification again can succeed.
    public enum Again: String, Sendable, Hashable {
        case never
        /// After the request or the setup is corrected.
        case afterCorrection
        /// Later, with a longer wait each time.
        case later
        case onNewConnection
        case withNewProviderToken
    }

    static let explanations: [Explanation] = [
        make(
            .badCollapseID, 400, .afterCorrection, .request, "The collapse id is longer than 64 bytes.",
            "Shorten it. A character outside ASCII takes two to four bytes."
        ),
        make(
            .badDeviceToken, 400, .never, .tokenAndEnvironment,
            "The device token isn't valid in this environment.",
            """
            Usually the token belongs to the other environment: an app run from Xcode needs sandbox, TestFlight and \
            the App Store need production. Otherwise the token isn't copied correctly.
            """
        ),
        make(
            .badExpirationDate, 400, .afterCorrection, .request,
            "The expiration isn't a number of seconds since 1970.",
            "Send whole seconds since 1970, or 0 for one attempt."
        ),
        make(
            .badMessageID, 400, .afterCorrection, .request, "The apns-id isn't a UUID.",
            "Use 32 lower-case hex digits in groups of 8-4-4-4-12, or remove it."
        ),
        make(
            .badPriority, 400, .afterCorrection, .request, "The priority isn't 10, 5 or 1.",
            "Use 10 to deliver immediately, 5 to save power (required for background pushes), 1 for the lowest priority."
        ),
        make(
            .badTopic, 400, .afterCorrection, .request, "The topic has an invalid format.",
            "Use the app's bundle id, with the suffix of the push type."
        ),
        make(
            .deviceTokenNotForTopic, 400, .never, .tokenAndTopic,
            "The device token belongs to another app or another kind of push.",
            """
            Compare the topic with the bundle id of the app that printed the token. Live Activities, widgets, location \
            and calls have their own tokens.
            """
        ),
        make(
            .duplicateHeaders, 400, .afterCorrection, .request, "A header was sent twice.",
            "Send each apns- header once."
        ),
        make(
            .idleTimeout, 400, .onNewConnection, .idle, "The connection was idle for too long.",
            "Resend it on a new connection."
        ),
        make(
            .invalidPushType, 400, .afterCorrection, .request, "APNs doesn't know the push type.",
            "Use one of \(PushType.knownNames)."
        ),
        make(
            .missingDeviceToken, 400, .afterCorrection, .request, "The path has no device token.",
            "Send to /3/device/ followed by the device token in hex."
        ),
        make(
            .missingTopic, 400, .afterCorrection, .request, "The request has no topic.",
            "Add the bundle id as topic. It is required with a provider token, and with a certificate for several topics."
        ),
        make(
            .payloadEmpty, 400, .afterCorrection, .request, "The request has no payload.",
            "Send a JSON object, usually with an aps dictionary."
        ),
        make(
            .topicDisallowed, 400, .afterCorrection, .team, "The credentials may not send to this topic.",
            "Check the bundle id, and that the key or certificate belongs to the team that owns the app."
        ),
        make(
            .badCertificate, 403, .afterCorrection, .credentials, "The client certificate isn't valid for push.",
            "Re-export the push certificate with its key, or create a new one if it was revoked."
        ),
        make(
            .badCertificateEnvironment, 403, .afterCorrection, .credentials,
            "The client certificate is for the other environment.",
            "Send to the other host, or use a certificate for both environments."
        ),
        make(
            .expiredProviderToken, 403, .withNewProviderToken, .clock, "The provider token is older than an hour.",
            "Check the clock of this machine. It sets the time of issue of the provider token."
        ),
        make(
            .forbidden, 403, .afterCorrection, .credentials, "APNs doesn't allow this request.",
            "Check that the app and the key are still active in Apple's developer portal."
        ),
        make(
            .invalidProviderToken, 403, .afterCorrection, .credentials,
            "The provider token isn't valid, or its signature is wrong.",
            """
            Check that key file, key id and team id belong together, that the two ids aren't swapped, that the key isn't \
            revoked, and that the clock of this machine isn't ahead.
            """
        ),
        make(
            .missingProviderToken, 403, .afterCorrection, .credentials,
            "The request has no provider token, and the connection has no certificate.",
            "Give a key (.p8) with its key id and team id."
        ),
        make(
            .unrelatedKeyIDInToken, 403, .onNewConnection, .twoKeys,
            "The key isn't related to the first key on this connection.",
            "Use a separate connection for each key."
        ),
        make(
            .badEnvironmentKeyIDInToken, 403, .afterCorrection, .credentials, "The key is for the other environment.",
            "Send to the other host, or create a key for this environment in Apple's developer portal."
        ),
        make(
            .badEnvironmentKeyInToken, 403, .afterCorrection, .credentials, "The key is for the other environment.",
            "Send to the other host, or create a key for this environment in Apple's developer portal."
        ),
        make(
            .badPath, 404, .afterCorrection, .request, "APNs doesn't know the path.",
            "Send to /3/device/ followed by the device token in hex."
        ),
        make(
            .methodNotAllowed, 405, .afterCorrection, .request, "The method isn't POST.",
            "Send pushes with POST."
        ),
        make(
            .expiredToken, 410, .never, .time, "The device token has expired.",
            "Stop sending to this token, unless the app registered it again after the timestamp of this answer.",
            endsDeviceToken: true
        ),
        make(
            .unregistered, 410, .never, .time,
            "The device token is no longer active for this topic. The app was removed, or has a new token.",
            "Stop sending to this token, unless the app registered it again after the timestamp of this answer.",
            endsDeviceToken: true
        ),
        make(
            .payloadTooLarge, 413, .afterCorrection, .request,
            "The payload is larger than the limit: 4096 bytes, 5120 for calls.",
            "Send less, and let the app fetch the rest."
        ),
        make(
            .tooManyProviderTokenUpdates, 429, .later, .manyTokens,
            "The provider token was changed more often than every 20 minutes.",
            "Share one token between all processes and connections, and keep it for at least 20 minutes."
        ),
        make(
            .tooManyRequests, 429, .later, .manyPushes, "Too many consecutive pushes were sent to this device token.",
            "Wait, and send fewer. With a collapse id, one push replaces another."
        ),
        make(
            .internalServerError, 500, .later, .apple, "Apple's server has an internal error.",
            "Retry later, with a longer wait each time."
        ),
        make(
            .serviceUnavailable, 503, .later, .apple, "APNs is temporarily unavailable.",
            "Retry later, with a longer wait each time. Apple recommends 15 minutes."
        ),
        make(
            .shutdown, 503, .later, .apple, "The APNs server is shutting down.",
            "Resend it on a new connection."
        ),
    ]

    static func make(
        _ reason: RejectionReason,
        _ status: Int,
        _ again: Again,
        _ fault: Fault,
        _ meaning: String,
        _ advice: String,
        endsDeviceToken: Bool = false
    ) -> Explanation {
        Explanation(
            reason: reason,
            status: status,
            meaning: meaning,
            fault: fault.rawValue,
            advice: advice,
            again: again,
            endsDeviceToken: endsDeviceToken
        )
    }

    /// The usual cause of a rejection. Several reasons have the same cause.
    enum Fault: String {
        case request = "The sender: this request is wrong, with any credentials and any device."
        case tokenAndEnvironment =
            "The sender's setup: device token and environment don't match. The device token itself is usually valid."
        case tokenAndTopic =
            "The sender's setup: device token and topic are for different apps or different kinds of push."
        case team = "The sender's setup: the credentials are for a different team or app than the topic."
        case credentials = "The sender's credentials. Every push fails until they are corrected."
        case clock = "The clock of the sending machine, or a sender that uses a provider token for more than an hour."
        case twoKeys = "The sender: two unrelated keys use one connection."
        case idle = "No fault: the connection was idle."
        case time =
            "No fault: apps are removed, and device tokens change. It is the sender's fault only if it keeps sending."
        case manyTokens =
            "The sender: it signs a new provider token too often, or mixes the tokens of several processes."
        case manyPushes = "The sender: too many pushes to one device."
        case apple = "Apple."
        case channel = "The sender: this channel doesn't exist for this app in this environment."
        case channels = "The sender: it creates channels and doesn't delete them."
        case capability = "The sender's setup: the app in Apple's developer portal doesn't have this capability."
    }
}
