import APNSVocabulary
import MockAPNs
import Testing

/// Of two faults the one that is looked for earlier decides.
@Suite struct OrderTests {
    @Test func `the stages of the table go forward only`() {
        let stages = Check.table.map(\.stage)
        #expect(stages == stages.sorted())
        #expect(Set(stages) == Set(Check.Stage.allCases))
    }

    /// One fault per reason, in the order of judgement; none hides another by its nature.
    static let faults: [(RejectionReason, @Sendable (inout Trial) -> Void)] = [
        (.badCertificate, { $0.connection = Trial.certified(trust: .untrusted) }),
        (.methodNotAllowed, { $0.method = "PUT" }),
        (.badPath, { $0.path = "/" }),
        (.duplicateHeaders, { $0.moreFields = [.init("apns-x", ""), .init("apns-x", "")] }),
        (.missingProviderToken, { $0.reading = .absent }),
        (.badMessageID, { $0.headers["apns-id"] = "1" }),
        (.badTopic, { $0.headers["apns-topic"] = "com.example app" }),
        (.invalidPushType, { $0.headers["apns-push-type"] = "hologram" }),
        (.badPriority, { $0.headers["apns-priority"] = "7" }),
        (.badExpirationDate, { $0.headers["apns-expiration"] = "soon" }),
        (.badCollapseID, { $0.headers["apns-collapse-id"] = String(repeating: "a", count: 65) }),
        (.payloadTooLarge, { $0.bodyByteCount = 10_000 }),
        (.badDeviceToken, { $0.apns.devices.register(try? Trial.device(["a"], environment: .production)) }),
        (.tooManyRequests, { $0.apns.variants.deviceRateLimit = MockDeviceRateLimit(count: 0, per: .seconds(1)) }),
    ]

    @Test func `of any two faults the earlier one decides`() {
        for (index, earlier) in Self.faults.enumerated() {
            for later in Self.faults[(index + 1)...] {
                let trial = Trial {
                    later.1(&$0); earlier.1(&$0)
                }
                #expect(trial.reason == earlier.0, "with \(later.0)")
            }
        }
    }

    static let pairs: [(RejectionReason, @Sendable (inout Trial) -> Void)] = [
        // Known of the real service: authentication comes before the device token.
        (
            .missingProviderToken,
            {
                $0.reading = .absent; $0.path = "/3/device/xyz"
            }
        ),
        (
            .missingProviderToken,
            {
                $0.reading = .absent; $0.path = "/3/device/"
            }
        ),
        (.invalidProviderToken, { $0.token = Trial.token(age: 9999, signature: .wrong) }),
        (
            .expiredProviderToken,
            {
                $0.token = Trial.token(age: 9999, teamID: "TEAM000002")
                $0.apns.authentication = .any
                $0.connection = Trial.connection()
            }
        ),
        (
            .invalidProviderToken,
            {
                let other = MockTrustedKey(keyID: "KEY0000002", teamID: "TEAM000002", environments: [.production])
                $0.apns.trust(other)
                $0.token = Trial.token(keyID: other.keyID, teamID: other.teamID)
                $0.connection = Trial.connection()
            }
        ),
        (
            .badEnvironmentKeyInToken,
            {
                let key = MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, environments: [.production])
                $0.apns.trust(key)
                $0.connection = Trial.connection(with: Trial.token(age: 61))
            }
        ),
        (
            .missingTopic,
            {
                $0.headers["apns-topic"] = nil; $0.headers["apns-push-type"] = "?"
            }
        ),
        (
            .payloadEmpty,
            {
                $0.body = []; $0.apns.variants.notJSONReason = .badTopic
            }
        ),
        (
            .missingDeviceToken,
            {
                $0.path = "/3/device/"; $0.apns.unknownTokens = .reject
            }
        ),
        (
            .unregistered,
            {
                $0.apns.devices.register(try? Trial.device(["a.b"], state: .unregistered(since: Trial.now)))
            }
        ),
        (
            .deviceTokenNotForTopic,
            {
                $0.apns.devices.register(try? Trial.device(["a.b"]))
                $0.apns.variants.deviceRateLimit = MockDeviceRateLimit(count: 0, per: .seconds(1))
            }
        ),
    ]

    @Test(arguments: pairs)
    func `two faults within reach of each other keep their order`(
        reason: RejectionReason, spoil: @Sendable (inout Trial) -> Void
    ) {
        #expect(Trial(spoil).reason == reason)
    }

    @Test func `a malformed token is called malformed, not unknown`() {
        let verdict = Trial {
            $0.path = "/3/device/xyz"; $0.apns.unknownTokens = .reject
        }.verdict
        #expect(verdict.check == "device token form")
    }
}
