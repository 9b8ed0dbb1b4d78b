import APNSVocabulary

/// The checks of requests about broadcasts and channels.
extension Check {
    static let requestID = Check(
        "apns-request-id", .headers, [.badMessageID], "An apns-request-id that is not a UUID gets BadMessageId.",
        .apple
    ) { input in
        guard let id = input.request.requestID, UUIDForm.letters(of: id) == nil else { return nil }
        return Finding(.badMessageID, "The apns-request-id is \(Finding.quote(id)), which isn't a UUID.")
    }

    static let appWithoutSuffix = Check(
        "bundle id without suffix", .headers, [.topicDisallowed],
        "A bundle id in the path that has a push type's suffix gets TopicDisallowed.", .apple
    ) { input in
        guard let app = input.request.target.app, let suffix = PushType.type(ofTopic: app)?.topicSuffix,
            !suffix.isEmpty, !ambiguousSuffixes.contains(suffix)
        else { return nil }
        return Finding(
            .topicDisallowed, "The bundle id in the path, \(Finding.quote(app)), ends in the suffix \"\(suffix)\".")
    }

    static let appForm = Check(
        "bundle id form", .headers, [.topicDisallowed],
        """
        A bundle id in the path that does not have the form of a topic gets TopicDisallowed. The reason, and the limit \
        of 512 characters, are guesses.
        """, .guess
    ) { input in
        guard let app = input.request.target.app, app.utf8.count > 512 || !isWellFormed(app) else { return nil }
        return Finding(
            .topicDisallowed, "The bundle id in the path, \(Finding.quote(app)), doesn't have the form of a bundle id."
        )
    }

    static let appOfCredentials = Check(
        "bundle id of the credentials", .headers, [.topicMismatch],
        "A bundle id that the key or the certificate does not cover gets 403 TopicMismatch.", .apple
    ) { input in
        guard let app = input.request.target.app else { return nil }
        let remedy = input.connection.certificate == nil ? MockRemedy.trustKeyForTopic : nil
        let topics = input.connection.certificate?.topics ?? input.trustedKey.flatMap { $0.topics.map(Array.init) }
        guard let topics, !topics.isEmpty, !topics.contains(app) else { return nil }
        return Finding(
            .topicMismatch, "The credentials aren't valid for the bundle id \(Finding.quote(app)).", remedy: remedy)
    }

    static let broadcastEnabled = Check(
        "broadcast capability", .headers, [.featureNotEnabled],
        "An app whose broadcast capability is off gets FeatureNotEnabled.", .apple
    ) { input in
        guard let app = input.request.target.app, input.apns.variants.appsWithoutBroadcast.contains(app) else {
            return nil
        }
        return Finding(
            .featureNotEnabled, "The broadcast capability of \(Finding.quote(app)) is off in this mock.",
            remedy: .changeVariant(
                "Remove the app from MockVariants.appsWithoutBroadcast to turn it on.",
                setting: "apps_without_broadcast=APPS"))
    }

    // MARK: The channel

    static let channelIDPresent = Check(
        "channel id present", .headers, [.missingChannelID],
        "A request about one channel without apns-channel-id gets MissingChannelId.", .apple
    ) { input in
        guard input.request.channelID?.isEmpty ?? true else { return nil }
        return Finding(.missingChannelID, "The request has no apns-channel-id.")
    }

    static let channelIDForm = Check(
        "channel id form", .headers, [.badChannelID],
        """
        A channel id that is not base64, or that is too long, gets BadChannelId. The limit of 200 characters is a \
        guess.
        """, .apple
    ) { input in
        guard let id = input.request.channelID else { return nil }
        if id.utf8.count > 200 { return Finding(.badChannelID, "The apns-channel-id has \(id.utf8.count) characters.") }
        guard !ChannelIDForm.isWellFormed(id) else { return nil }
        return Finding(.badChannelID, "The apns-channel-id is \(Finding.quote(id)), which isn't base64.")
    }

    static let channelRegistered = Check(
        "channel registered", .device, [.channelNotRegistered],
        "A channel that does not exist for this app in this environment gets ChannelNotRegistered.", .apple
    ) { input in
        guard let app = input.request.target.app, let id = input.request.channelID, input.channel == nil else {
            return nil
        }
        let other = MockEnvironment.allCases.first { $0 != input.environment }
        if let other, input.apns.channels.channel(id, of: app, in: other) != nil {
            return Finding(
                .channelNotRegistered,
                "The channel \(Finding.quote(id)) exists in \(other), not in \(input.environment).")
        }
        return Finding(
            .channelNotRegistered,
            "The app \(Finding.quote(app)) has no channel \(Finding.quote(id)) in \(input.environment).")
    }

    // MARK: A broadcast

    static let broadcastTypePresent = Check(
        "broadcast push type present", .headers, [.missingPushType],
        "A broadcast without a push type gets MissingPushType.", .apple
    ) { input in
        input.request.pushType == nil ? Finding(.missingPushType, "The request has no apns-push-type.") : nil
    }

    static let broadcastTypeKnown = Check(
        "broadcast push type", .headers, [.invalidPushType],
        "The push type of a broadcast is liveactivity. Apple's page also prints Liveactivity.", .apple
    ) { input in
        guard let type = input.request.pushType, type.rawValue.lowercased() != PushType.liveactivity.rawValue else {
            return nil
        }
        return Finding(
            .invalidPushType, "The apns-push-type is \(Finding.quote(type.rawValue)), not \"liveactivity\".")
    }

    static let broadcastExpiration = Check(
        "broadcast expiration", .device, [.badExpirationDate],
        "A channel that stores nothing accepts only the expiration 0. Others get BadExpirationDate.", .apple
    ) { input in
        guard let channel = input.channel, !channel.storesNewest, let expiration = input.request.expiration,
            expiration.contains(where: { $0 != "0" })
        else { return nil }
        return Finding(
            .badExpirationDate,
            "The apns-expiration is \(Finding.quote(expiration)), but the channel stores nothing (storage policy 0).")
    }

    static let broadcastSize = Check(
        "broadcast size", .payload, [.payloadTooLarge], "A broadcast of more than 5120 bytes gets 413 PayloadTooLarge.",
        .apple
    ) { input in
        let (count, limit) = (input.request.bodyByteCount, APNSLimit.broadcastPayloadBytes)
        guard count > limit else { return nil }
        return Finding(.payloadTooLarge, "The body is \(count) bytes, the limit is \(limit).")
    }

    // MARK: A new channel

    static let newChannelJSON = Check(
        "new channel JSON", .payload, [.badRequestPayload], "A body that is not a JSON object gets BadRequestPayload.",
        .apple
    ) { input in
        guard input.newChannel == nil else { return nil }
        return Finding(.badRequestPayload, "The body isn't a JSON object.")
    }

    static let newChannelAttributes = Check(
        "new channel attributes", .payload, [.badRequestParameters],
        "An unknown attribute in the body gets BadRequestParams.", .apple
    ) { input in
        guard let unknown = input.newChannel?.unknownAttribute else { return nil }
        return Finding(.badRequestParameters, "The body has the unknown attribute \(Finding.quote(unknown)).")
    }

    static let newChannelType = Check(
        "new channel push type", .payload, [.missingPushType, .invalidPushType],
        """
        A new channel needs the push type LiveActivity. Apple's page and a client spell it differently, so its case \
        does not matter.
        """, .hint
    ) { input in
        guard let channel = input.newChannel else { return nil }
        guard let type = channel.pushType else {
            return Finding(.missingPushType, "The body has no push-type.")
        }
        guard type.lowercased() != "liveactivity" else { return nil }
        return Finding(.invalidPushType, "The push-type is \(Finding.quote(type)), not \"LiveActivity\".")
    }

    static let newChannelPolicy = Check(
        "new channel storage policy", .payload, [.missingChannelQueueSize],
        """
        A storage policy that is missing, or not 0 or 1, gets MissingChannelQueueSize. Apple does not document this \
        reason; one client has seen it.
        """, .hint
    ) { input in
        guard let channel = input.newChannel, channel.storesNewest == nil else { return nil }
        return Finding(
            .missingChannelQueueSize, "The body has no message-storage-policy of 0 or 1.")
    }

    static let channelLimit = Check(
        "channel limit", .device, [.cannotCreateChannelConfig],
        "An app has at most 10,000 channels in an environment. Beyond that: CannotCreateChannelConfig.", .apple
    ) { input in
        guard let app = input.request.target.app else { return nil }
        let limit = input.apns.variants.channelLimit
        guard input.apns.channels.count(of: app, in: input.environment) >= limit else { return nil }
        return Finding(
            .cannotCreateChannelConfig,
            "The app \(Finding.quote(app)) has \(limit) channels in \(input.environment), which is the limit.",
            remedy: limit < APNSLimit.channels
                ? .changeVariant("A larger MockVariants.channelLimit allows more.", setting: "channel_limit=NUMBER")
                : nil)
    }

    static let roomForChannels = Check(
        "room for channels", .device, [.cannotCreateChannelConfig],
        """
        The mock keeps at most 100,000 channels of all apps together. Beyond that: CannotCreateChannelConfig. APNs \
        has no such limit.
        """, .guess
    ) { input in
        guard input.apns.channels.total >= ChannelRegistry.maximum else { return nil }
        return Finding(
            .cannotCreateChannelConfig, "This mock has \(ChannelRegistry.maximum) channels, and keeps no more of them.")
    }
}
