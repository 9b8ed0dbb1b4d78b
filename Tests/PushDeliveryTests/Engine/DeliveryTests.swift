import APNSVocabulary
import MockAPNs
import PushPlatform
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

/// From the queue to a mock and back.
@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
    @Test func `a job is sent with its id, and is accepted in the queue`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.add(.sample())
        #expect(try await scene.log.outcome(of: id)?.kind == .accepted)
        let record = try await scene.record(id)
        #expect(record?.state == .finished)
        #expect(record?.outcome?.kind == .accepted)
        #expect(record?.outcome?.status == 200)
        #expect(record?.attempts == 1)
        let arrival = try await scene.mock.arrival(1)
        #expect(arrival.request.id == id.uuidString.lowercased())
        #expect(arrival.request.topic == "com.example.shop")
        #expect(arrival.payload == #"{"aps":{"alert":"Hello"}}"#)
        try await scene.end()
    }

    @Test func `the details of a job become its headers`() async throws {
        let scene = try await DeliveryScene()
        let expiry = QueueTime(milliseconds: (QueueTime.now.milliseconds / 1000 + 3600) * 1000)
        let first = try await scene.add(
            .detailed(1) {
                $0.topic = "com.example.other"
                $0.priority = .powerAware
                $0.collapseID = "score"
            }.with { $0.expiry = .at(expiry) })
        let second = try await scene.add(.detailed(2) { $0.once = true }.with { $0.expiry = .at(expiry) })
        _ = try await scene.log.outcomes(of: [first, second])
        let arrivals = scene.mock.arrivals
        let one = try #require(arrivals.first { $0.deviceToken == NewQueueJob.token(1) }?.request)
        #expect(one.topic == "com.example.other")
        #expect(one.fields.first { $0.name == "apns-priority" }?.value == "5")
        #expect(one.fields.first { $0.name == "apns-collapse-id" }?.value == "score")
        #expect(one.fields.first { $0.name == "apns-expiration" }?.value == "\(expiry.milliseconds / 1000)")
        let other = try #require(arrivals.first { $0.deviceToken == NewQueueJob.token(2) }?.request)
        #expect(other.fields.first { $0.name == "apns-expiration" }?.value == "0")
        try await scene.end()
    }

    @Test func `accepted pushes are counted by the push type that was sent`() async throws {
        let scene = try await DeliveryScene()
        let background = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let ids = try await scene.add([
            .sample(1), .detailed(2) { $0.pushType = .alert }, .sample(3).with { $0.payload = background },
        ])
        _ = try await scene.log.outcomes(of: ids)
        let since = QueueTime.now + .seconds(-7200)
        let tallies = try await scene.queue.tallies(of: ["shop"], .hour, since: since)
        let counts = Dictionary(tallies.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
        #expect(counts == ["alert": 2, "background": 1])
        try await scene.end()
    }

    @Test func `a thousand jobs have one outcome each`() async throws {
        let scene = try await DeliveryScene()
        let ids = try await scene.add((1...1000).map { .sample($0) })
        let outcomes = try await scene.log.outcomes(of: ids)
        #expect(outcomes.allSatisfy { $0.kind == .accepted })
        #expect(scene.log.events.value.count == 1000)
        #expect(scene.mock.arrivalCount == 1000)
        #expect(try await scene.queue.counts()["shop"]?.accepted == 1000)
        try await scene.end()
    }
}
