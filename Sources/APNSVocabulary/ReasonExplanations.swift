extension RejectionReason {
    /// What a rejection means, whose fault it usually is, and what to do.
    public struct Explanation: Sendable, Hashable {
        /// The word itself.
        public let reason: RejectionReason
        /// The HTTP status with which the word comes.
        public let status: Int
        /// What happened, in one sentence.
        public let meaning: String
        /// Whose fault it usually is, in one or two sentences: the sender's, Apple's, or nobody's.
        ///
        /// A rule of thumb for whoever looks for the cause first in the wrong place; `meaning` and `advice` say the rest.
        public let fault: String
        /// What to do about it, in one or two sentences.
        public let advice: String
        /// Whether the same notification may be sent again, and when.
        public let again: Again
        /// Whether the word says that the token is dead for the topic.
        ///
        /// Only the 410s do: every other rejection of a token can be a mistake of the setup, and good tokens must not
        /// be thrown away for it.
        public let endsDeviceToken: Bool
    }

    /// Whether sending the same notification again can succeed.
    public enum Again: String, Sendable, Hashable {
        /// Never with this token and payload.
        case never
        /// After the request or the setup was corrected.
        case afterCorrection
        /// Later, waiting longer each time.
        case later
        /// At once on a new connection.
        case onNewConnection
        /// With a new provider token on a new connection.
        case withNewProviderToken
    }

    static let explanations: [Explanation] = [
        make(
            .badCollapseID, 400, .afterCorrection, .request, "The collapse id is longer than 64 bytes.",
            "Shorten it; letters outside ASCII count two to four bytes each."
        ),
        make(
            .badDeviceToken, 400, .never, .tokenAndEnvironment, "APNs does not know this device token here.",
            """
            Most often the token belongs to the other environment: an app run from Xcode needs sandbox, TestFlight and \
            the App Store need production. Otherwise the token was changed in copying.
            """
        ),
        make(
            .badExpirationDate, 400, .afterCorrection, .request,
            "The expiration is not a number of seconds since 1970.",
            "Send whole UNIX seconds, or 0 for a single attempt."
        ),
        make(
            .badMessageID, 400, .afterCorrection, .request, "The apns-id is not a UUID.",
            "Use 32 lower-case hex digits in groups of 8-4-4-4-12, or leave it out."
        ),
        make(
            .badPriority, 400, .afterCorrection, .request, "The priority is not 10, 5 or 1.",
            "Use 10 for at once, 5 to save power (background pushes must), 1 for least of all."
        ),
        make(
            .badTopic, 400, .afterCorrection, .request, "The topic is not well formed.",
            "Use the app's bundle id, with the suffix of the push type."
        ),
        make(
            .deviceTokenNotForTopic, 400, .never, .tokenAndTopic,
            "The device token belongs to another app or another kind of push.",
            """
            Compare the topic with the bundle id of the app that printed the token. Live Activities, widgets, location \
            and calls have tokens of their own.
            """
        ),
        make(
            .duplicateHeaders, 400, .afterCorrection, .request, "A header was sent twice.",
            "Send each apns- header once."
        ),
        make(
            .idleTimeout, 400, .onNewConnection, .idle, "The connection was idle for too long.",
            "Send again on a new connection."
        ),
        make(
            .invalidPushType, 400, .afterCorrection, .request, "The push type is not one that APNs knows.",
            "Use one of \(PushType.known.map(\.rawValue).joined(separator: ", "))."
        ),
        make(
            .missingDeviceToken, 400, .afterCorrection, .request, "The path has no device token.",
            "Send to /3/device/ followed by the token in hex."
        ),
        make(
            .missingTopic, 400, .afterCorrection, .request, "The request names no topic.",
            "Add the bundle id as topic; a provider token and a certificate for several topics both need it."
        ),
        make(
            .payloadEmpty, 400, .afterCorrection, .request, "The request has no payload.",
            "Send a JSON object, in most cases with an aps dictionary."
        ),
        make(
            .topicDisallowed, 400, .afterCorrection, .team, "The signer may not send to this topic.",
            "Check the bundle id, and that the key or certificate belongs to the team that owns the app."
        ),
        make(
            .badCertificate, 403, .afterCorrection, .credentials, "The client certificate is not valid for push.",
            "Export the push certificate with its key again, or make a new one if it was revoked."
        ),
        make(
            .badCertificateEnvironment, 403, .afterCorrection, .credentials,
            "The client certificate is for the other environment.",
            "Send to the other host, or use a certificate for both environments."
        ),
        make(
            .expiredProviderToken, 403, .withNewProviderToken, .clock, "The provider token is older than an hour.",
            "Check the clock of this machine; the token's time of issue comes from it."
        ),
        make(
            .forbidden, 403, .afterCorrection, .credentials, "APNs does not allow this.",
            "Check that the app and the key are still active in Apple's developer portal."
        ),
        make(
            .invalidProviderToken, 403, .afterCorrection, .credentials,
            "The provider token is not valid, or its signature is wrong.",
            """
            Check that key file, key id and team id belong together (the two ids are easily swapped), and that the key \
            was not revoked.
            """
        ),
        make(
            .missingProviderToken, 403, .afterCorrection, .credentials,
            "The request carries no provider token, and the connection no certificate.",
            "Give a key (.p8) with its key id and team id."
        ),
        make(
            .unrelatedKeyIDInToken, 403, .onNewConnection, .twoKeys,
            "The key is not related to the one that the connection began with.",
            "Use a connection of its own for each key."
        ),
        make(
            .badEnvironmentKeyIDInToken, 403, .afterCorrection, .credentials, "The key is for the other environment.",
            "Send to the other host, or make a key for this environment in Apple's developer portal."
        ),
        make(
            .badEnvironmentKeyInToken, 403, .afterCorrection, .credentials, "The key is for the other environment.",
            "Send to the other host, or make a key for this environment in Apple's developer portal."
        ),
        make(
            .badPath, 404, .afterCorrection, .request, "The path is not one that APNs serves.",
            "Send to /3/device/ followed by the token in hex."
        ),
        make(
            .methodNotAllowed, 405, .afterCorrection, .request, "The method is not POST.",
            "Send pushes with POST."
        ),
        make(
            .expiredToken, 410, .never, .time, "The device token has expired.",
            "Stop sending to it, unless the app registered it again after the timestamp of this answer.",
            endsDeviceToken: true
        ),
        make(
            .unregistered, 410, .never, .time,
            "The device token is no longer active for this topic: the app was removed or has a new token.",
            "Stop sending to it, unless the app registered it again after the timestamp of this answer.",
            endsDeviceToken: true
        ),
        make(
            .payloadTooLarge, 413, .afterCorrection, .request,
            "The payload is over the limit: 4096 bytes, 5120 for calls.",
            "Send less, and let the app fetch the rest."
        ),
        make(
            .tooManyProviderTokenUpdates, 429, .later, .manyTokens,
            "The provider token was changed more often than every 20 minutes.",
            "Share one token between all processes and connections, and keep it for at least 20 minutes."
        ),
        make(
            .tooManyRequests, 429, .later, .manyPushes, "Too many pushes in a row went to this device token.",
            "Wait, and send fewer; a collapse id lets one replace the other."
        ),
        make(
            .internalServerError, 500, .later, .apple, "Something failed at Apple.",
            "Send again later, waiting longer each time."
        ),
        make(
            .serviceUnavailable, 503, .later, .apple, "APNs is not available at the moment.",
            "Send again later, waiting longer each time; Apple speaks of 15 minutes."
        ),
        make(
            .shutdown, 503, .later, .apple, "This APNs server is stopping.",
            "Send again on a new connection."
        ),
    ]

    private static func make(
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

    /// Several words share one answer to the question whose fault it is.
    private enum Fault: String {
        case request = "The sender's: this request is wrong, whatever the credentials and the phone."
        case tokenAndEnvironment =
            "The sender's setup: token and environment do not fit together. The token itself is seldom bad."
        case tokenAndTopic = "The sender's setup: token and topic are of two apps, or of two kinds of push."
        case team = "The sender's setup: the credentials are of another team or another app than the topic."
        case credentials = "The sender's credentials. Every push fails until they are right."
        case clock = "The clock of the sending machine; or a sender that keeps a token for more than an hour."
        case unclear = "Apple gives no detail. Look at the account and the key first."
        case twoKeys = "The sender's: two keys that do not belong together use one connection."
        case idle = "Nobody's: the connection lay idle."
        case time = "Nobody's: apps are removed and tokens change. It is the sender's when it goes on sending."
        case manyTokens =
            "The sender's: it signs a new provider token too often, or mixes the tokens of several processes."
        case manyPushes = "The sender's: too many pushes to one device."
        case apple = "Apple's."
    }
}
