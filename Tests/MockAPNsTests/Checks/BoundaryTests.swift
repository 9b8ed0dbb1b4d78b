import APNSVocabulary
import MockAPNs
import Testing

@Suite struct BoundaryTests {
    @Test(arguments: [
        (nil, MockDelivery.stored), ("1800000001", .stored), ("1799999999", .discarded), ("1", .discarded),
        ("0", .discarded), ("00", .discarded),
    ])
    func `a push for a device that is offline is stored until it expires`(expiration: String?, delivery: MockDelivery)
        throws
    {
        var device = try Trial.device()
        device.isOnline = false
        let trial = Trial {
            $0.apns.devices.register(device)
            $0.headers["apns-expiration"] = expiration
        }
        #expect(trial.verdict.delivery == delivery)
    }

    @Test(arguments: [1, APNSLimit.channels]) func `only a limit below Apple's can be raised`(limit: Int) {
        let trial = Trial {
            $0.apns.variants.channelLimit = limit
            $0.fill(Trial.app, limit)
            $0.makeNewChannel()
        }
        #expect(trial.reason == .cannotCreateChannelConfig)
        #expect((trial.verdict.remedy == nil) == (limit == APNSLimit.channels))
    }

    @Test(
        arguments: [
            ("alert", "", 4096, nil), ("alert", "", 4097, RejectionReason.payloadTooLarge),
            ("voip", ".voip", 5120, nil), ("voip", ".voip", 5121, .payloadTooLarge),
            ("liveactivity", ".push-type.liveactivity", 4097, .payloadTooLarge),
            (nil, "", 4097, .payloadTooLarge), (nil, ".voip", 5120, nil), (nil, ".voip", 5121, .payloadTooLarge),
            ("alert", ".voip", 4097, .payloadTooLarge),
        ] as [(String?, String, Int, RejectionReason?)])
    func `a body has its limit by push type, or by suffix where there is none`(
        type: String?, suffix: String, count: Int, reason: RejectionReason?
    ) {
        let trial = Trial {
            $0.headers["apns-push-type"] = type
            $0.headers["apns-topic"] = "com.example.app" + suffix
            $0.bodyByteCount = count
        }
        #expect(trial.reason == reason)
    }

    @Test func `a body that was cut off counts whole`() {
        #expect(
            Trial {
                $0.body = Array("{".utf8); $0.bodyByteCount = 5000
            }.reason == .payloadTooLarge)
    }

    @Test(
        arguments: [
            (String(repeating: "a", count: 64), nil),
            (String(repeating: "a", count: 65), RejectionReason.badCollapseID),
            (String(repeating: "é", count: 32), nil),
            (String(repeating: "é", count: 32) + "a", .badCollapseID),
            (String(repeating: "é", count: 33), .badCollapseID),
        ] as [(String, RejectionReason?)])
    func `a collapse id is measured in bytes of UTF-8`(id: String, reason: RejectionReason?) {
        #expect(Trial { $0.headers["apns-collapse-id"] = id }.reason == reason)
    }

    @Test(
        arguments: [
            (3600.0, nil), (3600.5, RejectionReason.expiredProviderToken), (3601, .expiredProviderToken), (0, nil),
            (-3600, nil), (-3600.5, .invalidProviderToken), (-1e300, .invalidProviderToken),
            (1e300, .expiredProviderToken),
        ] as [(Double, RejectionReason?)])
    func `a provider token lives from an hour before to an hour after its iat`(age: Double, reason: RejectionReason?) {
        #expect(Trial { $0.token = Trial.token(age: age) }.reason == reason)
    }

    @Test(
        arguments: [(1199.9, RejectionReason.tooManyProviderTokenUpdates), (1200, nil)] as [(Double, RejectionReason?)])
    func `a token may be replaced after 20 minutes of use`(seconds: Double, reason: RejectionReason?) {
        let first = Trial.connection(with: Trial.token(age: 3000), at: Trial.now.later(by: -seconds))
        let trial = Trial {
            $0.connection = first
            $0.apns.variants.countsTokenUpdatesByUse = true
        }
        #expect(trial.reason == reason)
    }

    @Test(
        arguments: [(1199.9, RejectionReason.tooManyProviderTokenUpdates), (1200, nil)] as [(Double, RejectionReason?)])
    func `counted by iat, the next token is 20 minutes younger, and none goes back`(
        apart: Double, reason: RejectionReason?
    ) {
        func reasonForToken(age: Double, after first: Double) -> RejectionReason? {
            Trial {
                $0.connection = Trial.connection(with: Trial.token(age: first))
                $0.token = Trial.token(age: age)
            }.reason
        }
        #expect(reasonForToken(age: 60, after: apart + 60) == reason)
        #expect(reasonForToken(age: apart + 60, after: 60) == .tooManyProviderTokenUpdates)
    }

    @Test(arguments: [("1800000000", false), ("1799999999", true), ("0", false)])
    func `an expiration is past when its second is over`(expiration: String, isPast: Bool) {
        let trial = Trial {
            $0.headers["apns-expiration"] = expiration
            $0.apns.variants.pastExpirationReason = .badExpirationDate
        }
        #expect((trial.reason == .badExpirationDate) == isPast)
    }
}
