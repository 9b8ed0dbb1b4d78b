internal import Hummingbird
internal import NIOCore
import PushHTTP
import PushJSON
import PushQueue

/// The results of the lines of a campaign: a stream of JSON lines in the order of their numbers. The number of a
/// line is the cursor.
enum CampaignReport {
    private static let linesAtOnce = 500

    private enum Only: String, CaseIterable {
        case failures
    }

    @Sendable static func answer(_ request: APIRequest) async throws -> Response {
        let campaign = try await CampaignRoutes.find(request)
        var query = QueueCampaignLineQuery(campaign.id, app: campaign.app, limit: linesAtOnce)
        query.onlyFailures = try request.choice("only", Only.self) == .failures
        query.after = try request.number("after", in: 0...QueueCampaignLine.greatestKept) ?? 0
        let maximum = try request.number("limit", in: 1...QueueCampaignLine.greatestNumber) ?? .max
        try request.hold(entries: linesAtOnce)
        let (first, queue, answers) = (query, request.parts.queue, request.parts.answers)
        return .stream("application/x-ndjson", keeping: request.memory) { writer in
            var (query, left) = (first, maximum)
            while left > 0, !answers.isOver {
                // The key may have been revoked since the report began.
                try await request.checkKey()
                query.limit = min(linesAtOnce, left)
                let lines = try await queue.lines(query)
                guard let last = lines.last else { break }
                try await writer.write(ByteBuffer(lines: lines.map(CampaignValue.line)))
                (query.after, left) = (last.number, left - lines.count)
            }
            if left > 0, answers.isOver { throw APIProblem.stopping }
        }
    }
}
