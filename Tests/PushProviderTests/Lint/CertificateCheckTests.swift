import Testing

@testable import PushProvider

@Suite struct CertificateCheckTests {
    @Test(arguments: [
        ("universal.p12", "com.example.app", [] as [String]), ("universal.p12", "com.example.app.voip", []),
        ("universal.p12", "", ["apns-topic: There is no topic, and the certificate has several."]),
        (
            "universal.p12", "com.example",
            [
                """
                apns-topic: The topic "com.example" is not in the certificate, which is for com.example.app, \
                com.example.app.voip, com.example.app.complication.
                """
            ]
        ),
        ("sandbox.p12", "", []), ("sandbox.p12", "com.example.app", []),
        (
            "sandbox.p12", "com.example.app.voip",
            [
                """
                apns-topic: The topic "com.example.app.voip" is not in the certificate, which is for com.example.app.
                """
            ]
        ),
        ("plain.p12", "com.example.anything", []), ("plain.p12", "", ["apns-topic: There is no topic."]),
        (
            "universal.p12", "com.example.app.push-type.liveactivity",
            ["apns-push-type: Push type liveactivity cannot be sent with a certificate."]
        ),
        (
            "plain.p12", "com.example.app.location-query",
            ["apns-push-type: Push type location cannot be sent with a certificate."]
        ),
        (
            "plain.p12", "com.example.app.push-type.widgets",
            ["apns-push-type: Push type widgets cannot be sent with a certificate."]
        ),
    ])
    func `a certificate allows its own topics`(name: String, topic: String, findings: [String]) throws {
        let identity = try CertificateSet.shared().identity(name)
        let notification = try PushNotification.sample { $0.topic = topic }
        let found = notification.findings(with: .identity(identity))
        #expect(found.map { "\($0.place): \($0.problem)" } == findings)
        #expect(found.allSatisfy { $0.severity == .error && !$0.advice.isEmpty })
    }

    @Test func `with a key the notification alone counts`() throws {
        let credentials = PushCredentials.token(try .sample())
        #expect(credentials.defaultTopic == nil)
        #expect(credentials.certificate == nil)
        let notification = try PushNotification.sample { $0.topic = "com.example.app.push-type.liveactivity" }
        #expect(notification.findings(with: credentials).isEmpty)
        let bare = try PushNotification.sample { $0.topic = "" }
        #expect(bare.findings(with: credentials) == bare.findings())
    }

    @Test(arguments: [
        ("universal.p12", nil as String?), ("plain.p12", nil), ("voip.p12", "com.example.app.voip"),
        ("sandbox.p12", "com.example.app"),
    ])
    func `a certificate with one topic gives it to those that have none`(name: String, topic: String?) throws {
        #expect(PushCredentials.identity(try CertificateSet.shared().identity(name)).defaultTopic == topic)
    }
}
