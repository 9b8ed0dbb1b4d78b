import Foundation
import MockAPNs
import MockConsole
import PushProvider
import PushTesting
import Testing
import VirtualPhones

/// Example tests of what the user would see.
struct PhoneTests {
    @Test func `a push with permission is shown, and one without is not`() async throws {
        let mock = try await MockServer.start()
        let console = try await MockConsole.start(for: mock)
        try console.phones.load("{id: desk, apps: [{topic: com.example.app, permission: denied}]}")
        let client = try mock.client()
        try await client.send(order(to: "5f3ad1c07b9e4286"))

        let hidden = await console.phones.record(of: 1)
        #expect(hidden?.outcome.why == "Permission denied; APNs still answers 200")

        try console.phones.load("{id: desk}")
        try await client.send(order(to: "5f3ad1c07b9e4286"))
        let card = await console.phones.screen(of: "desk")?.card(of: 2)
        #expect(card?.title == "Order 42")
        #expect(card?.group == "com.example.app")
        #expect(card?.attachment == nil)

        try await console.phones.perform(.tap(2), on: "desk")
        #expect(await console.phones.record(of: 2)?.outcome.kind == .acted)

        await client.shutdown()
        await console.stop()
        await mock.stop()
    }

    static func outcome(on console: MockConsole) async {
        let record = await console.phones.record(of: 1)
        print(record?.outcome.text ?? "It has not arrived.")
    }

    static func machine(_ text: [UInt8], _ push: PhonePush) throws {
        var phones = Phones(try PhoneProfile.list(json: text))
        phones.receive(push)
        print(phones.record(of: push.number)?.outcome.text ?? "")
    }

    static func machine() {
        var phones = Phones()
        let payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
        phones.receive(
            PhonePush(number: 1, time: .now, target: .device("5f3a"), topic: "com.example.app", body: payload))
        print(phones.record(of: 1)?.outcome.text ?? "")
    }

    private func order(to deviceToken: String) throws -> PushNotification {
        PushNotification(
            to: try DeviceToken(deviceToken),
            topic: "com.example.app",
            payload: .alert(title: "Order 42", body: "It is on its way.")
        )
    }
}
