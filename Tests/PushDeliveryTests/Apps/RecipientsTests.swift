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
        let waiting = (0..<64).map { number in Task { try await recipients.devices(of: ["ann"], sender: number % 2) } }
        try await table.questions.wait(for: "64 questions") { $0.count == 64 }
        table.answerFurther()
        let error = await #expect(throws: QueueError.self) { _ = try await recipients.devices(of: ["ann"]) }
        #expect(error?.code == .busy && recipients.failure == nil)
        let worker = Task { try await recipients.devices(of: ["ann"], atClaim: true) }
        try await table.questions.wait(for: "the question of a worker") { $0.count == 65 }
        table.answer(true)
        for task in waiting + [worker] { #expect(try await task.value["ann"]?.get().count == 1) }
        #expect(try await recipients.devices(of: ["ann"])["ann"]?.get().count == 1)
    }

    @Test func `an API key has half of the places of a table, and one count`() async throws {
        let recipients = recipients()
        table.answer(false)
        let waiting = (0..<32).map { _ in Task { try await recipients.devices(of: ["ann"], sender: 1) } }
        try await table.questions.wait(for: "32 questions") { $0.count == 32 }
        table.answerFurther()
        let error = await #expect(throws: QueueError.self) {
            _ = try await recipients.devices(of: ["ann"], sender: 1)
        }
        #expect(error?.code == .busy)
        let others = [2, nil].map { key in Task { try await recipients.devices(of: ["ann"], sender: key) } }
        try await table.questions.wait(for: "the questions of others") { $0.count == 34 }
        table.hold(counts: 1)
        let first = Task { try await recipients.count(of: "vip", sender: 1) }
        try await table.counts.wait(for: "a count") { $0 == 1 }
        await #expect(throws: QueueError.self) { _ = try await recipients.count(of: "vip", sender: 1) }
        table.hold(counts: 2)
        let second = Task { try await recipients.count(of: "vip", sender: 2) }
        try await table.counts.wait(for: "the count of another key") { $0 == 2 }
        await #expect(throws: QueueError.self) { _ = try await recipients.count(of: "vip", sender: 3) }
        #expect(recipients.failure == nil)
        table.answer(true)
        for task in waiting + others { _ = try await task.value }
        for task in [first, second] { #expect(try await task.value == 42) }
        // All places are free again.
        #expect(try await recipients.count(of: "vip", sender: 1) == 42)
        _ = try await recipients.devices(of: ["ann"], sender: 1)
    }

    @Test(arguments: [QueueError.Code.damaged, .invalid, .busy])
    func `a count whose statement is wrong fails alone, and a table that is down fails as a whole`(
        _ code: QueueError.Code
    ) async throws {
        let recipients = recipients()
        table.fail(QueueError(code, "The statement of the test is wrong."))
        await #expect(throws: QueueError.self) { _ = try await recipients.count(of: "vip") }
        #expect(recipients.failure == nil)
        table.fail(DeviceTable.down)
        await #expect(throws: DeviceTable.down) { _ = try await recipients.count(of: "vip") }
        #expect(recipients.failure != nil)
        table.fail(nil)
        #expect(try await recipients.devices(of: ["ann"])["ann"]?.get() == [])
        #expect(recipients.failure == nil)
    }

    @Test func `a wrong statement is named until it succeeds, and holds up no other`() async throws {
        let recipients = recipients()
        let mistake = QueueError(.damaged, "It has no such column.")
        table.fail(statements: ["the audience \"vip\"": mistake, "gone": mistake, "of_user": mistake])
        let error = await #expect(throws: QueueError.self) { try await recipients.check() }
        let all = "gone: \(mistake) of_user: \(mistake) the audience \"vip\": \(mistake)"
        #expect(error?.description == all && recipients.failure == all)
        #expect(try await recipients.devices(of: ["ann"])["ann"]?.get() == [])
        #expect(recipients.failure == "gone: \(mistake) the audience \"vip\": \(mistake)")
        _ = try await recipients.page(of: "vip", after: 0, limit: 1)
        #expect(recipients.failure == "gone: \(mistake)")
        try await recipients.delete([])
        #expect(recipients.failure == "gone: \(mistake)")
        try await recipients.delete([GoneToken(NewQueueJob.token(1), since: .now)])
        #expect(recipients.failure == nil)
    }

    @Test func `only what the table itself says about a user is an answer`() async throws {
        table.give("ann", RecipientDevice("<AA BB>"), RecipientDevice("hello"))
        let found = try await recipients().devices(of: ["ann", "wrong", "nobody"])
        #expect(try found["ann"]?.get().map(\.token) == ["aabb", "hello"])
        #expect(try found["nobody"]?.get() == [])
        #expect(throws: QueueError.self) { try found["wrong"]?.get() }
    }

    @Test func `a table that also refuses a user whom it has accepted fails as a whole`() async throws {
        let (recipients, refusal) = (recipients(), QueueError(.invalid, "A function of the test has failed."))
        await #expect(throws: QueueError.self) { try await recipients.devices(of: ["wrong"])["wrong"]?.get() }
        _ = try await recipients.devices(of: ["ann"])
        await #expect(throws: QueueError.self) { try await recipients.devices(of: ["wrong"])["wrong"]?.get() }
        #expect(recipients.failure == nil)
        // One who was accepted, and is refused by now, does not speak for the table.
        _ = try await recipients.devices(of: ["ben"])
        table.refuse("ben")
        await #expect(throws: QueueError.self) { try await recipients.devices(of: ["wrong"])["wrong"]?.get() }
        #expect(recipients.failure == nil)
        table.fail(refusal)
        await #expect(throws: refusal) { _ = try await recipients.devices(of: ["cid"]) }
        // The users of pushes that wait were accepted, perhaps by another worker.
        let others = self.recipients()
        await #expect(throws: refusal) { _ = try await others.devices(of: ["ann", "ben"], atClaim: true) }
        #expect(recipients.failure == refusal.description)
    }

    @Test func `recipients with the same settings are equal`() {
        #expect(recipients() == recipients() && recipients().hashValue == recipients().hashValue)
        #expect(recipients() != recipients("postgres://db/other") && recipients() != recipients(ofUser: "SELECT 1"))
    }
}
