import PushQueue
import TestSupport
import Testing

@testable import PushDelivery

@Suite(.timeLimit(.minutes(10))) struct RecipientsTests {
    private let table = DeviceTable()

    private func recipients(_ address: String = "postgres://db/shop", ofUser: String = "SELECT") -> Recipients {
        Recipients(table, address: address, RecipientQueries(ofUser: ofUser))
    }

    @Test func `few requests wait for a table at the same time, and workers do not count`() async throws {
        let recipients = recipients()
        table.give("ann", RecipientDevice(NewQueueJob.token(1)))
        table.answer(false)
        let waiting = (0..<64).map { _ in Task { try await recipients.devices(of: ["ann"]) } }
        try await table.questions.wait(for: "64 questions") { $0.count == 64 }
        let error = await #expect(throws: QueueError.self) { _ = try await recipients.devices(of: ["ann"]) }
        #expect(error?.code == .busy && recipients.failure == nil)
        let worker = Task { try await recipients.devices(of: ["ann"], atClaim: true) }
        try await table.questions.wait(for: "the question of a worker") { $0.count == 65 }
        table.answer(true)
        for task in waiting + [worker] { #expect(try await task.value["ann"]?.get().count == 1) }
        #expect(try await recipients.devices(of: ["ann"])["ann"]?.get().count == 1)
    }

    @Test func `only what the table itself says about a user is an answer`() async throws {
        table.give("ann", RecipientDevice("<AA BB>"), RecipientDevice("hello"))
        let found = try await recipients().devices(of: ["ann", "wrong", "nobody"])
        #expect(try found["ann"]?.get().map(\.token) == ["aabb", "hello"])
        #expect(try found["nobody"]?.get() == [])
        #expect(throws: QueueError.self) { try found["wrong"]?.get() }
    }

    @Test func `recipients with the same settings are equal`() {
        #expect(recipients() == recipients() && recipients().hashValue == recipients().hashValue)
        #expect(recipients() != recipients("postgres://db/other") && recipients() != recipients(ofUser: "SELECT 1"))
    }
}
