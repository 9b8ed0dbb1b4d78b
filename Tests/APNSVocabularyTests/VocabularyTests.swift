import APNSVocabulary
import Testing

/// Golden values, restated from Apple's pages: a slip in the vocabulary would deceive both the client and the mock.
@Suite struct VocabularyTests {
    @Test func `push types and their topic suffixes are those of Apple's table`() {
        let table = PushType.known.map { "\($0)\($0.topicSuffix.map { " <b>\($0)" } ?? " -")" }
        #expect(
            table == [
                "alert <b>", "background <b>", "voip <b>.voip", "complication <b>.complication",
                "fileprovider <b>.pushkit.fileprovider", "mdm -", "location <b>.location-query",
                "liveactivity <b>.push-type.liveactivity", "pushtotalk <b>.voip-ptt", "widgets <b>.push-type.widgets",
                "controls <b>.push-type.controls", "accessory <b>.push-type.accessory",
            ]
        )
    }

    @Test func `a topic that is no app is recognized by its beginning`() {
        let topics = [
            "pass.com.example.card", "order.com.example.shop", "web.com.example", "com.apple.mgmt.External.1",
            "com.example.app", "com.example.pass.card", "passcom.example",
        ]
        #expect(topics.map(SpecialTopic.init) == [.wallet, .wallet, .website, .management, nil, nil, nil])
    }

    @Test func `a push type of tomorrow is a word, and a line break is not in it`() {
        #expect(PushType.known.allSatisfy { $0.isKnown && $0.isWord })
        for word in ["hologram", "Alert", "a.b-c_9", String(repeating: "x", count: 64)] {
            #expect(!PushType(rawValue: word).isKnown && PushType(rawValue: word).isWord, "\(word)")
        }
        for text in ["", "two words", "a\n", "é", String(repeating: "x", count: 65)] {
            #expect(!PushType(rawValue: text).isWord, "\(text)")
        }
    }

    @Test(arguments: RejectionReason.known)
    func `each reason says whose fault it usually is`(reason: RejectionReason) {
        let fault = reason.explanation?.fault ?? ""
        let culprits = ["The sender", "Apple.", "No fault:", "The clock", "Apple gives no detail."]
        #expect(culprits.contains { fault.hasPrefix($0) })
        #expect(fault.hasSuffix("."))
    }

    @Test func `reasons come with the statuses of Apple's table`() {
        let byStatus = Dictionary(grouping: RejectionReason.known) { $0.explanation?.status ?? 0 }
            .mapValues { Set($0.map(\.rawValue)) }
        #expect(
            byStatus == [
                400: [
                    "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
                    "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType",
                    "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed",
                    // Only for broadcasts and channels.
                    "BadChannelId", "BadRequestParams", "BadRequestPayload", "CannotCreateChannelConfig",
                    "ChannelNotRegistered", "FeatureNotEnabled", "MissingChannelId", "MissingChannelQueueSize",
                    "MissingPushType",
                ],
                403: [
                    "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden",
                    "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
                    "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "TopicMismatch",
                ],
                404: ["BadPath"],
                405: ["MethodNotAllowed"],
                410: ["ExpiredToken", "Unregistered"],
                413: ["PayloadTooLarge"],
                429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
                500: ["InternalServerError"],
                503: ["ServiceUnavailable", "Shutdown"],
            ]
        )
    }

    @Test func `limits are Apple's`() {
        #expect(APNSLimit.payloadBytes(for: .alert) == 4096)
        #expect(APNSLimit.payloadBytes(for: nil) == 4096)
        #expect(APNSLimit.payloadBytes(for: .voip) == 5120)
        #expect(APNSLimit.collapseIDBytes == 64)
        #expect(PushPriority.known.map(\.rawValue) == [10, 5, 1])
    }

    @Test func `an unknown word survives`() {
        #expect(RejectionReason(rawValue: "NewIn2030").rawValue == "NewIn2030")
        #expect(RejectionReason(rawValue: "NewIn2030").explanation == nil)
        #expect(PushType(rawValue: "hologram").topicSuffix == nil)
    }
}
