import Foundation
import PushHTTP
import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// What answers keep in memory while they are made counts in the memory for clients, of which a key gets half.
@Suite(.timeLimit(.minutes(10))) struct HeldAnswerTests {
    private let token = String(repeating: "ab", count: 32)
    private let long = Array(#"{"pad": "\#(String(repeating: "y", count: 60_000))"}"#.utf8)

    /// Puts pushes of 120 kB in. Returns the id of the first one.
    private func fill(_ queue: SQLiteQueue, _ count: Int) async throws -> UUID {
        var job = NewQueueJob(to: .device(token), payload: long)
        job.variables = long
        let request = EnqueueRequest(Array(repeating: job, count: count), app: "shop")
        guard case .done(let results) = try await queue.enqueue(request), case .queued(let id)? = results.first else {
            throw RunningService.Missing()
        }
        return id
    }

    @Test func `an export has few contents in memory at a time`() async throws {
        // All of them have 5 MB, and a key gets 4 MiB.
        try await RunningService.with({ $0.limits.memory = 8 << 20 }) { service in
            _ = try await fill(service.queue, 40)
            let lines = try await service.ask("GET", "/v1/export?token=\(token)", key: service.key()).lines
            #expect(lines.count == 40 && lines.allSatisfy { $0["vars"] != nil })
        }
        try await RunningService.with({ $0.limits.memory = 4 << 20 }) { service in
            let answer = try await service.ask("GET", "/v1/export?token=\(token)", key: service.key())
            #expect(answer.string("code") == "memory_full", "\(answer.text)")
        }
    }

    @Test func `a push, a campaign, failures of a webhook and statistics count`() async throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let webhooks = ["shop": WebhookSettings(url: "https://localhost/hook", secrets: [secret])]
        try await RunningService.with(webhooks: webhooks, { $0.limits.memory = 200 << 10 }) { service in
            let key = try await service.key()
            let id = try await fill(service.queue, 1)
            var new = NewQueueCampaign("Sale", app: "shop")
            new.settings = long + long
            guard case .created(let campaign) = try await service.queue.createCampaign(new) else { return }
            let body = try #require(PushJSONValue(json: long))
            for _ in 0..<2 {
                let failure = WebhookReport.Failure(
                    time: .now, job: "", detail: "", isGivenUp: false, token: "", body: body)
                try await WebhookReports.change("shop", service.queue) { $0.add(failure, of: .start) }
            }
            for path in ["notifications/\(id)", "campaigns/\(campaign.id)", "webhooks", "statistics"] {
                let answer = try await service.ask("GET", "/v1/\(path)", key: key)
                #expect(answer.string("code") == "memory_full", "\(path): \(answer.text)")
            }
        }
    }
}
