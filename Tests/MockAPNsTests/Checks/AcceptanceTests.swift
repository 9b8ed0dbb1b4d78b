import APNSVocabulary
import MockAPNs
import Testing

/// What the real service takes, the mock takes too, and says where it is not sure.
@Suite struct AcceptanceTests {
    static let harmless: [(String, @Sendable (inout Trial) -> Void)] = [
        ("an upper-case token", { $0.path = "/3/device/" + Trial.hex.uppercased() }),
        ("a token of two digits", { $0.path = "/3/device/ab" }),
        ("a token of 160 digits", { $0.path = "/3/device/" + String(repeating: "ab", count: 80) }),
        ("a token of 200 digits", { $0.path = "/3/device/" + String(repeating: "ab", count: 100) }),
        ("priority 5", { $0.headers["apns-priority"] = "5" }),
        ("priority 1", { $0.headers["apns-priority"] = "1" }),
        ("no priority", { $0.headers["apns-priority"] = nil }),
        ("background at 5", { $0.headers.merge(["apns-push-type": "background", "apns-priority": "5"]) { $1 } }),
        ("no push type", { $0.headers["apns-push-type"] = nil }),
        ("no apns-id", { $0.headers["apns-id"] = nil }),
        ("an unknown header", { $0.headers["x-mine"] = "1" }),
        ("a cookie in parts", { $0.moreFields = [.init("cookie", "a=1"), .init("cookie", "b=2")] }),
        (
            "mdm over the certificate for it",
            {
                $0.connection = Trial.certified(topics: ["com.apple.mgmt.External.9b8c1c3e"])
                $0.headers.merge(["apns-topic": "com.apple.mgmt.External.9b8c1c3e", "apns-push-type": "mdm"]) { $1 }
            }
        ),
        ("the content type of curl", { $0.headers["content-type"] = "application/x-www-form-urlencoded" }),
        ("no storing", { $0.headers["apns-expiration"] = "0" }),
        ("storing for a month", { $0.headers["apns-expiration"] = "1802592000" }),
        ("an empty collapse id", { $0.headers["apns-collapse-id"] = "" }),
        ("a DER signature", { $0.token = Trial.token(signatureForm: .der) }),
        ("an empty dictionary", { $0.body = Array("{}".utf8) }),
        (
            "the topic of MDM",
            {
                $0.headers["apns-topic"] = "com.apple.mgmt.External.9b8c1c3e-0b57-4d2b-8b0d-2f0e8c1b7a11"
                $0.headers["apns-push-type"] = "mdm"
            }
        ),
        (
            "a key for its topic",
            {
                $0.apns.trust(
                    MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, topics: ["com.example.app"]))
            }
        ),
        (
            "a key for its topic with a suffix",
            {
                $0.apns.trust(
                    MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, topics: ["com.example.app"]))
                $0.headers.merge(["apns-topic": "com.example.app.voip", "apns-push-type": "voip"]) { $1 }
            }
        ),
    ]

    @Test(arguments: harmless)
    func `what APNs takes is taken`(what: String, change: @Sendable (inout Trial) -> Void) {
        let verdict = Trial(change).verdict
        #expect(verdict.status == 200, "\(what): \(verdict.detail ?? "")")
        #expect(verdict.allowances.map(\.confidence) == [.observed], "only the unknown device is an allowance")
    }

    @Test(arguments: PushType.known.filter { $0 != .background })
    func `each push type is taken with its own suffix`(type: PushType) {
        let trial = Trial {
            $0.headers["apns-push-type"] = type.rawValue
            $0.headers["apns-topic"] = "com.example.app" + (type.topicSuffix ?? "")
        }
        #expect(trial.verdict.status == 200)
    }

    @Test(arguments: AllowanceCases.all)
    func `a doubtful request that is accepted is reported`(doubt: AllowanceCase) {
        let verdict = Trial {
            $0.apns.devices.register(try? Trial.device())
            doubt.change(&$0)
        }.verdict
        #expect(verdict.isAccepted, "\(verdict.detail ?? "")")
        #expect(verdict.allowances.map(\.id) == [doubt.fact])
    }

    @Test func `with any key, only key, team and signature are not checked`() {
        let strange = Trial.token(keyID: "?", teamID: "?", signature: .wrong)
        #expect(
            Trial {
                $0.apns.authentication = .any; $0.token = strange
            }.verdict.status == 200)
        #expect(
            Trial {
                $0.apns.authentication = .any; $0.reading = .absent
            }.reason == .missingProviderToken)
        #expect(
            Trial {
                $0.apns.authentication = .any; $0.token = Trial.token(age: 3601)
            }.reason == .expiredProviderToken
        )
    }

    static let switches: [(String, @Sendable (inout Trial) -> Void)] = [
        (
            "topic against push type",
            {
                $0.headers["apns-push-type"] = "liveactivity"
                $0.apns.variants.topicAgainstPushTypeReason = nil
            }
        ),
        (
            "a push type of tomorrow",
            {
                $0.headers["apns-push-type"] = "hologram"
                $0.apns.variants.pushTypes = ["scent", "hologram"]
            }
        ),
        (
            "background at 10",
            {
                $0.headers["apns-push-type"] = "background"
                $0.apns.variants.urgentBackgroundReason = nil
            }
        ),
        (
            "iat two hours ahead",
            {
                $0.token = Trial.token(age: -7200)
                $0.apns.variants.futureTolerance = .seconds(7200)
            }
        ),
        (
            "updates counted from the first use",
            {
                $0.connection = Trial.connection(with: Trial.token(age: 1259), at: Trial.now.later(by: -9000))
                $0.apns.variants.countsTokenUpdatesByUse = true
            }
        ),
    ]

    @Test(arguments: switches)
    func `a variant lets through what the default refuses`(what: String, change: @Sendable (inout Trial) -> Void) {
        #expect(Trial(change).verdict.status == 200, "\(what)")
        #expect(
            Trial {
                change(&$0); $0.apns.variants = MockVariants()
            }.verdict.status != 200, "\(what)")
    }

    @Test func `a reason can be another one`() {
        let trial = Trial {
            $0.headers["apns-push-type"] = "liveactivity"
            $0.apns.variants.topicAgainstPushTypeReason = .badTopic
        }
        #expect(trial.reason == .badTopic)
    }
}
