import PushProvider
import TestSupport
import Testing

@testable import PushJSON

@Suite struct PushNotificationTests {
    @Test(arguments: [
        (#"{"aps":{"alert":"Hi"}}"#, "com.example.app", PushType.alert, 10),
        (#"{"aps":{"badge":0}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"sound":"default"}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"content-available":1}}"#, "com.example.app", .background, 5),
        (#"{"aps":{"content-available":1.0}}"#, "com.example.app", .background, 5),
        (#"{"aps":{"content-available":1},"order":42}"#, "com.example.app", .background, 5),
        (#"{"aps":{"content-available":1,"alert":"Hi"}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"content-available":1,"sound":""}}"#, "com.example.app", .alert, 10),
        // Not plain: the documented value is the number 1.
        (#"{"aps":{"content-available":0}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"content-available":true}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"content-available":"1"}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{}}"#, "com.example.app", .alert, 10),
        (#"{}"#, "pass.com.example", .alert, 10),
        (#"{"mdm":"magic"}"#, "com.apple.mgmt.External.1", .mdm, 10),
        (#"{"mdm":"magic","aps":{}}"#, "com.example.app", .alert, 10),
        (#"{"mdm":"magic","aps":{"alert":"Hi"}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"event":"end","content-state":{}}}"#, "com.example.app", .liveactivity, 10),
        (#"{"aps":{"content-available":1,"alert":null,"badge":null}}"#, "com.example.app", .background, 5),
        (#"{"aps":{"alert":"Hi","content-state":null,"stale-date":null}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"event":"end","content-state":{},"alert":{}}}"#, "com.example.app", .liveactivity, 10),
        (#"{"aps":{"event":"end"}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"content-available":1}}"#, "com.example.app.voip", .voip, 10),
        (#"{"aps":{}}"#, "com.example.app.complication", .complication, 10),
        (#"{}"#, "com.example.app.pushkit.fileprovider", .fileprovider, 5),
        (#"{"aps":{}}"#, "com.example.app.location-query", .location, 10),
        (#"{"aps":{"alert":"Hi"}}"#, "com.example.app.push-type.liveactivity", .liveactivity, 10),
        (#"{"aps":{}}"#, "com.example.app.voip-ptt", .pushtotalk, 10),
        (#"{"aps":{"content-changed":true}}"#, "com.example.app.push-type.widgets", .widgets, 10),
        (#"{"aps":{"content-changed":true}}"#, "com.example.app.push-type.controls", .controls, 10),
        (#"{"aps":{}}"#, "com.example.app.push-type.accessory", .accessory, 10),
        (#"{"aps":{"encryptedData":"ZA==","keyID":"aw=="}}"#, "com.example.app", .accessory, 10),
        (#"{"aps":{"encryptedData":"ZA=="}}"#, "com.example.app", .alert, 10),
        (#"{"aps":{"alert":"Hi","encryptedData":"ZA==","keyID":"aw=="}}"#, "com.example.app", .alert, 10),
        ("no JSON", "com.example.app", .alert, 10),
    ])
    func `push type and priority follow from topic and payload`(
        payload: String, topic: String, type: PushType, priority: Int
    ) throws {
        let notification = try PushNotification.sample {
            $0.topic = topic
            $0.payload = PushPayload(json: payload)
        }
        #expect(notification.effectivePushType == type)
        #expect(notification.effectivePriority.rawValue == priority)
    }

    @Test func `what is given goes before what could be inferred`() throws {
        let notification = try PushNotification.sample {
            $0.topic = "com.example.app.voip"
            $0.payload = .background()
            $0.pushType = "hologram"
            $0.priority = .low
        }
        #expect(notification.effectivePushType == "hologram")
        #expect(notification.effectivePriority == .low)
    }

    @Test func `a given type decides the priority`() throws {
        #expect(try PushNotification.sample { $0.pushType = .background }.effectivePriority == .powerAware)
        let given = try PushNotification.sample {
            $0.payload = .background()
            $0.pushType = .alert
        }
        #expect(given.effectivePriority == .immediate)
    }

    @Test func `a payload made in Swift is read as the same payload in JSON is`() throws {
        let value: PushJSONValue = ["aps": ["content-available": 1.0]]
        let made = PushPayload(value)
        let read = PushPayload(json: made.bytes)
        let types = try [made, read].map { payload in try PushNotification.sample { $0.payload = payload } }
            .map(\.effectivePushType)
        #expect(types == [.background, .background])
    }

    @Test func `a description shows the ends of the device token only`() throws {
        let notification = try PushNotification.sample()
        for text in ["\(notification)", String(reflecting: notification)] {
            #expect(!text.contains(DeviceToken.sampleHex.dropFirst(8).prefix(12)))
            #expect(text.contains("740f4707…78ad"))
        }
    }
}
