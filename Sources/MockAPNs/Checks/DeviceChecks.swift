import APNSVocabulary
import PushPlatform

extension Check {
    static let deviceTokenPresent = Check(
        "device token present", .device, [.missingDeviceToken],
        "A path without a device token gets MissingDeviceToken.", .confirmed
    ) { input in
        input.deviceTokenText.isEmpty
            ? Finding(.missingDeviceToken, "The path ends before the device token.") : nil
    }

    static let deviceTokenForm = Check(
        "device token form", .device, [.badDeviceToken],
        "A device token that is not hex gets BadDeviceToken; its length is not fixed.", .confirmed
    ) { input in
        // The token of a registered device is well formed.
        guard input.device == nil else { return nil }
        do throws(DeviceTokenError) {
            _ = try DeviceToken(input.deviceTokenText)
            return nil
        } catch {
            return Finding(.badDeviceToken, error.description)
        }
    }

    static let deviceTokenKnown = Check(
        "device token known", .device, [.badDeviceToken], "A device token that was never issued gets BadDeviceToken.",
        .observed
    ) { input in
        guard input.apns.unknownTokens == .reject, input.device == nil,
            !input.apns.acceptsMagicTokens || MockMagicToken(token: input.deviceTokenText) == nil
        else { return nil }
        return Finding(
            .badDeviceToken,
            "The device token \(DeviceToken.shortened(input.deviceTokenText)) isn't in the mock's registry.",
            remedy: .acceptUnknownTokens
        )
    }

    static let deviceEnvironment = Check(
        "device environment", .device, [.badDeviceToken],
        "A device token for the other environment gets BadDeviceToken.", .confirmed
    ) { input in
        guard let environment = input.device?.environment, environment != input.environment else {
            return nil
        }
        return Finding(
            .badDeviceToken,
            """
            The device token \(DeviceToken.shortened(input.deviceTokenText)) is registered for \(environment), but \
            \(input.servedBy) \(input.environment).
            """,
            remedy: input.connection.appleHost == nil
                ? .matchEnvironment(ofDevice: environment) : .useHost(of: environment)
        )
    }

    static let deviceRegistered = Check(
        "device registered", .device, [.unregistered, .expiredToken],
        "A token that is no longer active gets 410 with a timestamp in milliseconds.", .confirmed
    ) { input in
        guard let device = input.device else { return nil }
        let remedy = MockRemedy.registerAgain
        return switch device.state {
        case .active: nil
        // It is still active.
        case .unregistered(let since) where since > input.now, .expired(let since) where since > input.now: nil
        case .unregistered(let since):
            Finding(.unregistered, "\(device.token) is registered as no longer active.", remedy: remedy, since: since)
        case .expired(let since):
            Finding(.expiredToken, "\(device.token) is registered as expired.", remedy: remedy, since: since)
        }
    }

    static let deviceApp = Check(
        "device app", .device, [.deviceTokenNotForTopic], "A device token of another app gets DeviceTokenNotForTopic.",
        .confirmed
    ) { input in
        guard let device = input.deviceOfOtherTopic, let topic = input.topic else { return nil }
        let app = PushType.appTopic(of: topic)
        return device.topics.contains { PushType.appTopic(of: $0) == app } ? nil : notForTopic(device, topic)
    }

    static let deviceKind = Check(
        "device kind", .device, [.deviceTokenNotForTopic],
        """
        A token of the right app but for another kind of push gets DeviceTokenNotForTopic. Observed for calls, \
        inferred for the rest.
        """, .guess
    ) { input in
        guard let device = input.deviceOfOtherTopic, let topic = input.topic else { return nil }
        return notForTopic(
            device, topic, " It is of the same app, but for another kind of push, which has its own tokens.")
    }

    private static func notForTopic(_ device: MockDevice, _ topic: String, _ more: String = "") -> Finding {
        Finding(
            .deviceTokenNotForTopic,
            """
            \(device.token) is registered for \(device.topics.sorted().joined(separator: ", ")), not for this topic.\
            \(more)
            """,
            remedy: .registerForTopic(topic)
        )
    }

    static let deviceRate = Check(
        "device rate", .device, [.tooManyRequests],
        "Too many consecutive requests for one device token get TooManyRequests. The limit is unknown.", .guess
    ) { input in
        guard let limit = input.apns.variants.deviceRateLimit else { return nil }
        let text = input.deviceTokenText
        guard input.apns.deviceRates.isExhausted(for: text, under: limit, at: input.now) else { return nil }
        return Finding(
            .tooManyRequests,
            "\(DeviceToken.shortened(text)) got \(limit.count) requests in less than \(limit.seconds) seconds.",
            remedy: .changeVariant(
                "The setting device_rate_limit with null removes the limit.", setting: "device_rate_limit=null")
        )
    }
}

extension CheckInput {
    /// The device, if it is registered for topics and the topic of the request is not one of them.
    fileprivate var deviceOfOtherTopic: MockDevice? {
        guard let device, let topic, !device.topics.isEmpty, !device.topics.contains(topic) else {
            return nil
        }
        return device
    }
}

extension PushType {
    /// Returns a topic without the suffix of a push type. The result is the bundle id, unless the bundle id itself ends
    /// in such a suffix.
    static func appTopic(of topic: String) -> String {
        let suffix = typesBySuffix.first { topic.hasSuffix($0.suffix) }?.suffix ?? ""
        return String(topic.dropLast(suffix.count))
    }
}

extension Check {
    static let magicToken = Check(
        "magic token", .device, MockMagicToken.allCases.compactMap(\.reason),
        """
        64 decimal digits that begin with 990410, 990400, 990429 or 990503 are a magic token of the mock, which has a \
        fixed answer. APNs has no such tokens.
        """, .guess
    ) { input in
        guard input.apns.acceptsMagicTokens, input.device == nil,
            let magic = MockMagicToken(token: input.deviceTokenText),
            let reason = magic.reason
        else { return nil }
        let weekAgo = Date(timeIntervalSince1970: input.now.timeIntervalSince1970 - 7 * 86_400)
        return Finding(
            reason, "\(magic.rawValue)… is a magic token of the mock: \(magic.meaning).", remedy: .noMagic,
            since: magic == .unregistered ? weekAgo : nil)
    }
}
