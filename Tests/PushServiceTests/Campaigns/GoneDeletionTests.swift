import PushDelivery
import PushQueue
import Testing

@testable import PushService

/// The team's own deletion of tokens that Apple has reported gone.
@Suite(.timeLimit(.minutes(10))) struct GoneDeletionTests {
    private let table = TeamTable()

    /// A service with outcomes, and what deletes tokens, which does not run by itself.
    private func with(_ body: (RunningService, ServiceParts) async throws -> Void) async throws {
        try await RunningService.with { service in
            try await body(service, service.idleParts(of: table.apps()))
        }
    }

    private func end(
        _ service: RunningService, _ tokens: ClosedRange<Int>, goneSince: QueueTime?
    ) async throws {
        let jobs = tokens.map { NewQueueJob(to: .device(TeamTable.token($0)), payload: Array("{}".utf8)) }
        _ = try await service.queue.enqueue(EnqueueRequest(jobs, app: "shop"))
        var outcome = QueueJobOutcome(goneSince == nil ? .accepted : .rejected)
        outcome.goneSince = goneSince
        while try await service.deliver(outcome) > 0 {}
    }

    @Test func `gone tokens are deleted with Apple's time, once, also after a restart`() async throws {
        try await with { service, parts in
            let since = QueueTime(milliseconds: 1_700_000_000_000)
            try await end(service, 1...3, goneSince: nil)
            try await end(service, 4...5, goneSince: since)
            var deletion = GoneDeletion(parts)
            _ = await deletion.step()
            #expect(Set(table.deleted) == Set([4, 5].map { GoneToken(TeamTable.token($0), since: since) }))
            var next = GoneDeletion(parts)
            _ = await next.step()
            #expect(table.deleted.count == 2)
        }
    }

    @Test func `while the table is down, nothing is left out`() async throws {
        try await with { service, parts in
            try await end(service, 1...700, goneSince: .now)
            table.change { $0.failure = QueueError(.unreachable, "down") }
            var deletion = GoneDeletion(parts)
            #expect(await !deletion.step())
            table.change { $0.failure = nil }
            while await deletion.step() {}
            #expect(Set(table.deleted.map(\.token)).count == 700 && table.deleted.count == 700)
        }
    }

    @Test func `while the statement is refused as a whole, nothing is left out, and the status says so`() async throws {
        try await with { service, parts in
            try await end(service, 1...5, goneSince: .now)
            table.change { $0.failure = QueueError(.damaged, "permission denied for table devices") }
            var deletion = GoneDeletion(parts)
            for _ in 1...2 { #expect(await !deletion.step()) }
            let recipients = try #require(parts.apps["shop"]?.recipients)
            #expect(recipients.failure?.contains("permission denied") == true)
            table.change { $0.failure = nil }
            while await deletion.step() {}
            #expect(table.deleted.count == 5 && recipients.failure == nil)
        }
    }

    @Test func `a row that cannot be deleted does not hold up the others`() async throws {
        try await with { service, parts in
            try await end(service, 1...5, goneSince: .now)
            table.change { $0.refusesDeletions = true }
            var deletion = GoneDeletion(parts)
            _ = await deletion.step()
            #expect(Set(table.deleted.map(\.token)) == Set((2...5).map { TeamTable.token($0) }))
        }
    }
}
