import Foundation
import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider
@testable import PushWire

/// Push type, topic, priority and expiration follow from what was built.
@Suite struct BuiltNotificationTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var payload: PushPayload
        var type: PushType
        var topic: String
        var priority = 10
        var expiration = PushExpiration.apnsDefault
        var text: String
    }

    static let kinds: [Kind] = {
        do {
            return [
                Kind(
                    testDescription: "alert", payload: try .alert(PushPayload.Alert(body: "B")), type: .alert,
                    topic: "com.example.app", text: #"{"aps":{"alert":{"body":"B"}}}"#),
                Kind(
                    testDescription: "background", payload: .background(), type: .background, topic: "com.example.app",
                    priority: 5, text: #"{"aps":{"content-available":1}}"#),
                Kind(
                    testDescription: "voip", payload: try .voip(custom: ["n": 1]), type: .voip,
                    topic: "com.example.app.voip", text: #"{"aps":{},"n":1}"#),
                Kind(
                    testDescription: "complication", payload: try .complication(encoding: ["n": 1]),
                    type: .complication,
                    topic: "com.example.app.complication", text: #"{"aps":{},"n":1}"#),
                Kind(
                    testDescription: "location", payload: try .location(), type: .location,
                    topic: "com.example.app.location-query", text: #"{"aps":{}}"#),
                Kind(
                    testDescription: "live activity",
                    payload: try .endLiveActivity(timestamp: .init(timeIntervalSince1970: 9)),
                    type: .liveactivity, topic: "com.example.app.push-type.liveactivity",
                    text: #"{"aps":{"event":"end","timestamp":9}}"#),
                Kind(
                    testDescription: "push to talk", payload: try .pushToTalk(custom: ["n": 1]), type: .pushtotalk,
                    topic: "com.example.app.voip-ptt", expiration: .once, text: #"{"aps":{},"n":1}"#),
                Kind(
                    testDescription: "service update", payload: try .pushToTalk(isServiceUpdate: true),
                    type: .pushtotalk,
                    topic: "com.example.app.voip-ptt", expiration: .once,
                    text: #"{"aps":{"ptt-push-type":"service-update"}}"#),
                Kind(
                    testDescription: "widgets", payload: .widgets, type: .widgets,
                    topic: "com.example.app.push-type.widgets", text: #"{"aps":{"content-changed":true}}"#),
                Kind(
                    testDescription: "controls", payload: .controls, type: .controls,
                    topic: "com.example.app.push-type.controls", expiration: .once,
                    text: #"{"aps":{"content-changed":true}}"#),
                Kind(
                    testDescription: "accessory",
                    payload: .accessory(
                        encryptedData: "ZA==", sessionIdentifier: "s", keyID: "aw==", messageIndex: .max),
                    type: .accessory, topic: "com.example.app.push-type.accessory",
                    text:
                        #"{"aps":{"encryptedData":"ZA==","keyID":"aw==","messageIndex":"18446744073709551615","sessionIdentifier":"s"}}"#
                ),
                Kind(
                    testDescription: "file provider",
                    payload: .fileProvider(containerIdentifier: "c", domain: "d"), type: .fileprovider,
                    topic: "com.example.app.pushkit.fileprovider", priority: 5,
                    text: #"{"container-identifier":"c","domain":"d"}"#),
                Kind(
                    testDescription: "mdm", payload: .mdm(pushMagic: "m"), type: .mdm, topic: "com.example.app",
                    text: #"{"mdm":"m"}"#),
                Kind(testDescription: "wallet", payload: .wallet, type: .alert, topic: "com.example.app", text: "{}"),
                Kind(
                    testDescription: "safari",
                    payload: .safari(title: "T", body: "B", action: "A", urlArguments: ["u"]), type: .alert,
                    topic: "com.example.app",
                    text: #"{"aps":{"alert":{"action":"A","body":"B","title":"T"},"url-args":["u"]}}"#),
                Kind(
                    testDescription: "JSON of its own", payload: PushPayload(json: "{}", pushType: .location),
                    type: .location, topic: "com.example.app.location-query", text: "{}"),
                Kind(
                    testDescription: "a word of tomorrow", payload: PushPayload(json: "{}", pushType: "hologram"),
                    type: "hologram", topic: "com.example.app", text: "{}"),
            ]
        } catch {
            return []
        }
    }()

    @Test func `there are kinds to look at`() {
        #expect(Self.kinds.count == 17)
    }

    @Test(arguments: kinds)
    func `everything follows from the kind`(kind: Kind) throws {
        let notification = try PushNotification.sample { $0.payload = kind.payload }
        #expect(String(decoding: kind.payload.bytes, as: UTF8.self) == kind.text)
        #expect(kind.payload.pushType == kind.type)
        #expect(notification.effectivePushType == kind.type)
        #expect(notification.effectiveTopic == kind.topic)
        #expect(notification.effectivePriority.rawValue == kind.priority)
        #expect(notification.effectiveExpiration == kind.expiration)
        #expect(notification.findings().filter { $0.severity == .error }.isEmpty)
    }

    @Test(arguments: kinds)
    func `a suffix that is there is not appended again`(kind: Kind) throws {
        let notification = try PushNotification.sample {
            $0.payload = kind.payload
            $0.topic = kind.topic
        }
        #expect(notification.effectiveTopic == kind.topic)
        #expect(notification.settled.effectiveTopic == kind.topic)
        #expect(notification.findings().filter { $0.severity == .error }.isEmpty)
    }

    @Test(arguments: kinds)
    func `headers are those of the kind`(kind: Kind) throws {
        let notification = try PushNotification.sample { $0.payload = kind.payload }.settled
        let fields = RequestHeaders(notification, id: nil).fields
        #expect(fields["apns-topic"] == kind.topic)
        #expect(fields["apns-push-type"] == kind.type.rawValue)
        let isStated = kind.type != .widgets && kind.type != .accessory
        #expect(fields["apns-priority"] == (isStated ? "\(kind.priority)" : nil))
        #expect(fields["apns-expiration"] == (kind.expiration == .once ? "0" : nil))
    }

    // MARK: What the caller says

    @Test func `an explicit value wins`() throws {
        let notification = try PushNotification.sample {
            $0.payload = .controls
            $0.expiration = .apnsDefault
            $0.priority = .powerAware
        }
        #expect(notification.effectiveExpiration == .apnsDefault)
        #expect(RequestHeaders(notification.settled, id: nil).fields["apns-expiration"] == nil)
        #expect(notification.effectivePriority == .powerAware)
        let widgets = try PushNotification.sample {
            $0.payload = .widgets
            $0.priority = .immediate
        }
        #expect(RequestHeaders(widgets.settled, id: nil).fields["apns-priority"] == "10")
    }

    @Test func `another push type than the payload was built for is a finding`() throws {
        let payload = try PushPayload.location()
        let notification = try PushNotification.sample {
            $0.payload = payload
            $0.pushType = .alert
        }
        let finding = try #require(notification.findings().first { $0.severity == .error })
        #expect(finding.subject == "apns-push-type")
        #expect(finding.problem.contains("location") && finding.problem.contains("alert"))
    }

    @Test func `a background payload may go out as an alert, and a word of tomorrow is taken`() throws {
        for type in [PushType.alert, "hologram"] {
            let notification = try PushNotification.sample {
                $0.payload = .background()
                $0.pushType = type
            }
            #expect(!notification.findings().contains { $0.subject == "apns-push-type" && $0.severity == .error })
        }
    }

    @Test func `a topic of another kind is a finding, and gets no second suffix`() throws {
        let notification = try PushNotification.sample {
            $0.payload = .widgets
            $0.topic = "com.example.app.push-type.controls"
        }
        #expect(notification.effectiveTopic == "com.example.app.push-type.controls")
        #expect(notification.findings().contains { $0.subject == "apns-topic" && $0.severity == .error })
    }

    @Test func `payloads with the same bytes are not the same when they were built for different kinds`() throws {
        #expect(try PushPayload.location() != PushPayload.voip())
        #expect(try PushPayload.location() == PushPayload.location())
        #expect(PushPayload.wallet != PushPayload(json: "{}"))
    }
}
