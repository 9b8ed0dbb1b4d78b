import TestSupport
import Testing

@testable import PushProvider

/// What a client sends without asking every rule.
struct PlainAlertTests {
    private static let topics = [
        "com.example.app", "", "com.example app", "com.example.app.voip", "com.example.app.push-type.liveactivity",
        String(repeating: "x", count: 512), String(repeating: "x", count: 513), "a\r\nb",
    ]
    private static let payloads = [
        PushPayload(json: #"{"aps":{"alert":"Hello"}}"#), PushPayload(json: #"{"aps":{"content-available":1}}"#),
        PushPayload(json: "[]"), PushPayload(json: "{"), PushPayload(json: RuleFixture.payload(bytes: 4096)),
        PushPayload(json: RuleFixture.payload(bytes: 4097)), .background(),
        PushPayload(json: #"{"aps":{"alert":"Hello"}}"#, pushType: .alert),
        PushPayload(json: #"{"aps":{"alert":"Hello"}}"#, pushType: .voip),
    ]
    private static let types: [PushType?] = [nil, .alert, .background, .voip, "", "a b"]
    private static let priorities: [PushPriority?] = [nil, .immediate, .powerAware, .low, PushPriority(rawValue: 7)]
    private static let collapseIDs: [String?] = [nil, "", "a", String(repeating: "x", count: 65)]
    private static let expirations: [PushExpiration?] = [
        nil, .once, .apnsDefault, .until(secondsSince1970: 1_800_000_000), .until(secondsSince1970: -1),
        .until(secondsSince1970: 1_800_000_000_000),
    ]

    @Test(arguments: topics)
    func `no rule refuses a plain alert`(topic: String) throws {
        var plain = 0
        var notification = PushNotification(to: try DeviceToken("00"), topic: topic, payload: Self.payloads[0])
        for payload in Self.payloads {
            notification.payload = payload
            for type in Self.types {
                notification.pushType = type
                for priority in Self.priorities {
                    notification.priority = priority
                    for collapseID in Self.collapseIDs {
                        notification.collapseID = collapseID
                        for expiration in Self.expirations {
                            notification.expiration = expiration
                            guard Refusals.isPlainAlert(notification, notification.inferred) else { continue }
                            plain += 1
                            let findings = Refusals.examined(
                                notification, notification.inferred, certificate: nil, checks: true)
                            #expect(findings.isEmpty, "\(notification)")
                        }
                    }
                }
            }
        }
        let isUsual = topic == "com.example.app" || topic.utf8.count == 512
        #expect((plain > 0) == isUsual)
    }
}
