import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

@Suite struct CertificateCheckTests {
    @Test(arguments: [
        ("universal.p12", "com.example.app", [] as [String]), ("universal.p12", "com.example.app.voip", []),
        ("universal.p12", "", []),
        (
            "universal.p12", "com.example",
            [
                """
                apns-topic: The topic "com.example" isn't in the certificate. It is for com.example.app, \
                com.example.app.voip, com.example.app.complication.
                """
            ]
        ),
        ("sandbox.p12", "", []), ("sandbox.p12", "com.example.app", []),
        (
            "sandbox.p12", "com.example.app.voip",
            [
                """
                apns-topic: The topic "com.example.app.voip" isn't in the certificate. It is for com.example.app.
                """
            ]
        ),
        ("plain.p12", "com.example.anything", []), ("plain.p12", "", ["apns-topic: The topic is missing."]),
        (
            "universal.p12", "com.example.app.push-type.liveactivity",
            ["apns-push-type: Push type liveactivity can't be sent with a certificate."]
        ),
        (
            "plain.p12", "com.example.app.location-query",
            ["apns-push-type: Push type location can't be sent with a certificate."]
        ),
        (
            "plain.p12", "com.example.app.push-type.widgets",
            ["apns-push-type: Push type widgets can't be sent with a certificate."]
        ),
    ])
    func `a certificate allows its own topics`(name: String, topic: String, findings: [String]) throws {
        let identity = try CertificateSet.shared().identity(name)
        let notification = try PushNotification.sample { $0.topic = topic }
        let found = notification.findings(with: .identity(identity)).filter { $0.location == nil }
        #expect(found.map { "\($0.subject): \($0.problem)" } == findings)
        #expect(found.allSatisfy { $0.severity == .error && !$0.advice.isEmpty })
    }

    @Test func `with a key the notification alone counts`() throws {
        let credentials = PushCredentials.token(try .sample())
        #expect(credentials.certificate == nil)
        let notification = try PushNotification.sample { $0.topic = "com.example.app.push-type.liveactivity" }
        #expect(notification.findings(with: credentials) == notification.findings())
        let bare = try PushNotification.sample { $0.topic = "" }
        #expect(bare.findings(with: credentials) == bare.findings())
    }

    @Test(arguments: [
        ("universal.p12", PushType.alert, "com.example.app" as String?),
        ("universal.p12", .background, "com.example.app"), ("universal.p12", .voip, "com.example.app.voip"),
        ("universal.p12", .complication, "com.example.app.complication"), ("universal.p12", .mdm, nil),
        ("universal.p12", .widgets, nil), ("plain.p12", .alert, nil), ("sandbox.p12", .alert, "com.example.app"),
        ("voip.p12", .voip, "com.example.app.voip"), ("voip.p12", .alert, "com.example.app.voip"),
    ])
    func `the topic of those that have none is the one for their push type`(
        name: String, pushType: PushType, topic: String?
    ) throws {
        let credentials = PushCredentials.identity(try CertificateSet.shared().identity(name))
        #expect(credentials.certificate?.topic(for: pushType) == topic)
    }
}
