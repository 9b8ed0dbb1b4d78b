import Foundation
import PushDelivery
import PushJSON
import PushQueue
import Testing

@testable import PushService

/// What the tests of campaigns have in common.
protocol CampaignTesting {}

extension CampaignTesting {
    var lines: String { "application/x-ndjson" }

    func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func line(_ number: Int, _ more: String = #""payload": {"aps": {"alert": "Hello"}}"#) -> String {
        #"{"token": "\#(token(number))"\#(more.isEmpty ? "" : ", " + more)}"#
    }

    func refusals(_ answer: HTTPAnswer) -> [PushJSONValue] {
        guard case .array(let items)? = answer["upload", "refusals"] else { return [] }
        return items
    }

    /// Releases and completes lines until none waits, as the delivery does.
    func deliver(_ service: RunningService) async throws {
        repeat {
            for campaign in try await service.queue.activeCampaigns() {
                _ = try await service.queue.advanceCampaign(campaign.id, app: campaign.app, ahead: 1000, limit: 1000)
            }
        } while try await service.deliver() > 0
    }
}
