import MockAPNs
import PushProvider
import PushWire
import TestSupport
import Testing

@testable import PushJSON

/// Every kind of payload goes over the wire to the mock and is taken; its forbidden twin, which our client would not let out,
/// is answered as the documents say.
@Suite struct PayloadKindTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var payload: @Sendable () throws -> PushPayload
        /// What stands behind the bundle id in the topic.
        var suffix = ""
        var type: PushType
        var priority: String? = "10"
        var expiration: String?
        var topic = "com.example.app"
        var twin: Twin

        var testDescription: String { name }
    }

    /// The same with one thing wrong.
    struct Twin: Sendable {
        var change: @Sendable (inout [String: String], inout [UInt8]) -> Void
        var status: Int
        var reason: String

        static let bareTopic = Twin(
            change: { fields, _ in fields["apns-topic"] = "com.example.app" }, status: 400, reason: "TopicDisallowed")
        static let urgent = Twin(
            change: { fields, _ in fields["apns-priority"] = "10" }, status: 400, reason: "BadPriority")
        static let empty = Twin(change: { _, body in body = [] }, status: 400, reason: "PayloadEmpty")

        static func bytes(_ count: Int) -> Twin {
            Twin(
                change: { _, body in
                    let frame = Array(#"{"aps":{},"x":""}"#.utf8)
                    body =
                        frame.dropLast(2) + Array(repeating: UInt8(ascii: "x"), count: count - frame.count)
                        + frame.suffix(2)
                }, status: 413, reason: "PayloadTooLarge")
        }

        static func topic(_ topic: String) -> Twin {
            Twin(change: { fields, _ in fields["apns-topic"] = topic }, status: 400, reason: "TopicDisallowed")
        }
    }

    private struct State: Encodable { var stops = 3 }

    private static let alert = PushPayload.LiveActivity.Alert(title: "T", body: "B")

    static let kinds: [Kind] = [
        Kind(
            name: "alert", payload: { try .alert(PushPayload.Alert(title: "T", body: "B", badge: 1, sound: .default)) },
            type: .alert, twin: .bytes(4097)),
        Kind(
            name: "alert for another kind's topic", payload: { try .alert(PushPayload.Alert(body: "B")) }, type: .alert,
            twin: .topic("com.example.app.push-type.liveactivity")),
        Kind(
            name: "critical", payload: { try .alert(PushPayload.Alert(body: "B", sound: .critical(volume: 1))) },
            type: .alert,
            twin: .topic("com.example.app.push-type.widgets")),
        Kind(name: "background", payload: { .background() }, type: .background, priority: "5", twin: .urgent),
        Kind(
            name: "voip", payload: { try .voip(custom: ["blob": .string(String(repeating: "x", count: 5000))]) },
            suffix: ".voip", type: .voip, twin: .bytes(5121)),
        Kind(
            name: "voip to the app", payload: { try .voip(custom: ["n": 1]) }, suffix: ".voip", type: .voip,
            twin: .bareTopic),
        Kind(
            name: "complication", payload: { try .complication(custom: ["n": 1]) }, suffix: ".complication",
            type: .complication, twin: .bareTopic),
        Kind(
            name: "location", payload: { try .location() }, suffix: ".location-query", type: .location, twin: .bareTopic
        ),
        Kind(
            name: "live activity start",
            payload: {
                try .startLiveActivity(
                    "A", attributes: State(), contentState: State(), alert: alert, input: .token)
            }, suffix: ".push-type.liveactivity", type: .liveactivity, twin: .bareTopic),
        Kind(
            name: "live activity update", payload: { try .updateLiveActivity(contentState: State()) },
            suffix: ".push-type.liveactivity", type: .liveactivity, twin: .bytes(4097)),
        Kind(
            name: "live activity end",
            payload: { try .endLiveActivity(contentState: State(), dismissal: .immediately) },
            suffix: ".push-type.liveactivity", type: .liveactivity, twin: .topic("com.example.app.push-type.widgets")),
        Kind(
            name: "push to talk", payload: { try .pushToTalk(custom: ["speaker": "Nora"]) }, suffix: ".voip-ptt",
            type: .pushtotalk, expiration: "0", twin: .bareTopic),
        Kind(
            name: "push to talk, service update", payload: { try .pushToTalk(isServiceUpdate: true) },
            suffix: ".voip-ptt", type: .pushtotalk, expiration: "0", twin: .topic("com.example.app.voip")),
        Kind(
            name: "widgets", payload: { .widgets }, suffix: ".push-type.widgets", type: .widgets, priority: nil,
            twin: .bareTopic),
        Kind(
            name: "controls", payload: { .controls }, suffix: ".push-type.controls", type: .controls, expiration: "0",
            twin: .topic("com.example.app.push-type.widgets")),
        Kind(
            name: "accessory",
            payload: {
                .accessory(encryptedData: "ZA==", sessionIdentifier: "s", keyID: "aw==", messageIndex: 42)
            }, suffix: ".push-type.accessory", type: .accessory, priority: nil, twin: .bareTopic),
        Kind(
            name: "file provider", payload: { .fileProvider(containerIdentifier: "c", domain: "d") },
            suffix: ".pushkit.fileprovider", type: .fileprovider, priority: "5", twin: .bareTopic),
        Kind(
            name: "mdm", payload: { .mdm(pushMagic: "m") }, type: .mdm,
            topic: "com.apple.mgmt.External.9b8c1c3e-0b57-4d2b-8b0d-2f0e8c1b7a11", twin: .empty),
        Kind(name: "wallet", payload: { .wallet }, type: .alert, topic: "pass.com.example.ticket", twin: .empty),
        Kind(
            name: "safari", payload: { .safari(title: "T", body: "B", urlArguments: ["a"]) }, type: .alert,
            topic: "web.com.example", twin: .bytes(4097)),
    ]

    @Test(arguments: kinds)
    func `the kind is taken, and its forbidden twin is not`(kind: Kind) async throws {
        let payload = try kind.payload()
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        do {
            let notification = PushNotification(
                to: try DeviceToken("5f3ad1c07b9e4286"), topic: kind.topic, payload: payload)
            let outcome = try await mock.withClient { await $0.outcome(of: notification) }
            #expect(outcome.summary == "accepted")
            let request = try #require(mock.arrivals.first?.request)
            #expect(request.topic == kind.topic + kind.suffix)
            #expect(request.pushType == kind.type)
            #expect(request.priority == kind.priority)
            #expect(request.expiration == kind.expiration)
            #expect(request.body == payload.bytes)
            try await sendTwin(kind, of: request, to: mock)
        } catch {
            await mock.stop()
            throw error
        }
        await mock.stop()
    }

    private func sendTwin(_ kind: Kind, of request: MockRequest, to mock: MockServer) async throws {
        var fields: [String: String] = [:]
        for field in request.fields where field.name.hasPrefix("apns-") { fields[field.name] = field.value }
        var body = request.body
        kind.twin.change(&fields, &body)
        let wire = try await WireClient.connect(to: mock)
        try await wire.wait { !$0.settings.isEmpty }
        try await wire.open(fields: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, body: body)
        let end = try #require(try await wire.wait { !$0.ends.isEmpty }.ends.first)
        await wire.close()
        #expect(end.response.status == kind.twin.status)
        #expect(mock.arrivals.last?.verdict.reason?.rawValue == kind.twin.reason)
    }
}
