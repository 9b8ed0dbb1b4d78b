extension RejectionReason {
    /// The reasons that only requests about broadcasts and channels have (Apple, "Handling error responses from Apple
    /// Push Notification service" for broadcasts).
    static let broadcastExplanations: [Explanation] = [
        make(
            .badChannelID, 400, .afterCorrection, .request, "The channel id isn't base64, or it is too long.",
            "Send the id unchanged, as APNs returned it when the channel was created."
        ),
        make(
            .badRequestParameters, 400, .afterCorrection, .request,
            "The request about a channel has an unknown attribute.",
            "Send only message-storage-policy and push-type."
        ),
        make(
            .badRequestPayload, 400, .afterCorrection, .request,
            "The body of the request about a channel isn't valid JSON.",
            "Send a JSON object with message-storage-policy (0 or 1) and push-type (LiveActivity)."
        ),
        make(
            .cannotCreateChannelConfig, 400, .afterCorrection, .channels,
            "The app has the maximum number of channels in this environment.",
            "Delete channels that are no longer used. An app can have \(APNSLimit.channels) channels in each environment."
        ),
        make(
            .channelNotRegistered, 400, .afterCorrection, .channel, "The channel doesn't exist.",
            """
            Check the channel id, the bundle id and the environment. The two environments have different channels, and a \
            deleted channel doesn't come back.
            """
        ),
        make(
            .featureNotEnabled, 400, .afterCorrection, .capability, "The broadcast capability of the app is off.",
            "Turn on broadcast for the app id in Apple's developer portal, under Push Notifications."
        ),
        make(
            .missingChannelID, 400, .afterCorrection, .request, "The request has no channel id.",
            "Send the header apns-channel-id."
        ),
        make(
            .missingChannelQueueSize, 400, .afterCorrection, .request,
            "The storage policy of the new channel is missing or invalid.",
            "Send message-storage-policy as 0 (nothing is stored) or 1 (the newest message is stored)."
        ),
        make(
            .missingPushType, 400, .afterCorrection, .request, "The request has no push type.",
            "Send the push type LiveActivity. Broadcasts exist only for Live Activities."
        ),
        make(
            .topicMismatch, 403, .afterCorrection, .team,
            "The credentials aren't valid for the bundle id in the path.",
            "Check the bundle id, and that the key or certificate belongs to the team that owns the app."
        ),
    ]

    /// The explanation for an answer to a request about a broadcast or a channel. Some reasons that pushes have, too,
    /// mean something else there.
    package var explanationAboutChannels: Explanation? { Self.sharedExplanations[self] ?? explanation }

    private static let sharedExplanations = Dictionary(
        uniqueKeysWithValues: [
            make(
                .badExpirationDate, 400, .afterCorrection, .request,
                "The expiration isn't a number of seconds since 1970, or the channel stores nothing.",
                "A channel that stores nothing accepts only the expiration 0. One that stores the newest broadcast accepts others."
            ),
            make(
                .badMessageID, 400, .afterCorrection, .request, "The apns-request-id isn't a UUID.",
                "Use 32 lower-case hex digits in groups of 8-4-4-4-12, or remove it."
            ),
            make(
                .badPath, 404, .afterCorrection, .request, "The path is wrong for this host and port.",
                """
                Channels are managed at /1/apps/ and the bundle id on the ports 2195 (sandbox) and 2196 (production). \
                Broadcasts go to /4/broadcasts/apps/ and the bundle id on the port for pushes.
                """
            ),
            make(
                .methodNotAllowed, 405, .afterCorrection, .request, "The request has a wrong method.",
                "POST creates a channel and sends a broadcast, GET reads and lists channels, DELETE deletes a channel."
            ),
            make(
                .payloadTooLarge, 413, .afterCorrection, .request,
                "The payload of the broadcast is larger than \(APNSLimit.broadcastPayloadBytes) bytes.",
                "Shorten the payload."
            ),
            make(
                .invalidPushType, 400, .afterCorrection, .request, "The push type isn't LiveActivity.",
                "Broadcasts exist only for Live Activities."
            ),
            make(
                .topicDisallowed, 400, .afterCorrection, .request,
                "The bundle id in the path isn't one of this key or certificate, or it has the suffix of a push type.",
                "Use the app's bundle id alone, without a suffix such as .push-type.liveactivity."
            ),
        ].map { ($0.reason, $0) })
}
