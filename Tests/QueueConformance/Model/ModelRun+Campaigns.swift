import PushPlatform
import PushQueue
import TestSupport

extension ModelRun {
    mutating func campaigns() async throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try await create()
        case 2...5: try await addLines()
        case 6...8: try await change()
        case 9, 10: try await advance()
        default:
            begin()
            try model.dropCampaigns(
                .seconds(120), try await queue.dropCampaigns(endedBefore: .seconds(120), limit: 10_000))
        }
    }

    private mutating func someCampaign() -> (id: UUID, app: String) {
        let all = model.campaigns.values.sorted { $0.id.uuidString < $1.id.uuidString }
        guard !random.oneIn(20), let campaign = all.randomElement(using: &random) else { return (UUID(), app()) }
        return (campaign.id, random.oneIn(20) ? app() : campaign.app)
    }

    private mutating func rate() -> QueueCampaignRate? {
        random.oneIn(2) ? nil : QueueCampaignRate(perSecond: [0.1, 0.5, 2, 30].randomElement(using: &random) ?? 1)
    }

    private mutating func create() async throws {
        var new = NewQueueCampaign("campaign \(Int.random(in: 0..<2, using: &random))", app: app(), settings: [1, 2])
        new.rate = rate()
        let now = maker.clock.now
        if random.oneIn(4) { new.starts = now + .seconds(Int.random(in: -10...60, using: &random)) }
        if random.oneIn(4) { new.expires = now + .seconds(Int.random(in: 1...200, using: &random)) }
        if random.oneIn(4) { new.key = "key \(Int.random(in: 0..<3, using: &random))" }
        begin()
        try model.create(new, try await queue.createCampaign(new))
    }

    private mutating func addLines() async throws {
        let (id, app) = someCampaign()
        let lines = (0..<Int.random(in: 1...10, using: &random)).map { _ -> QueueCampaignLine in
            let number = Int.random(in: 1...40, using: &random)
            if random.oneIn(6) {
                return QueueCampaignLine(number, .refused(QueueLineRefusal(code: "code", detail: "why")))
            }
            return QueueCampaignLine(number, .job(job()))
        }
        begin()
        try model.addLines(lines, id, app, try await queue.addLines(lines, to: id, app: app))
        // The answer may be lost: the same lines come again.
        if random.oneIn(3) {
            begin()
            try model.addLines(lines, id, app, try await queue.addLines(lines, to: id, app: app))
        }
    }

    private mutating func change() async throws {
        let (id, app) = someCampaign()
        let change: QueueCampaignChange =
            switch Int.random(in: 0..<12, using: &random) {
            case ..<5: .start(closes: random.oneIn(2))
            case 5: .close
            case 6: .pause
            case 7, 8: .resume
            case 9: .cancel
            default: .rate(rate())
            }
        begin()
        try model.change(id, app, change, try await queue.changeCampaign(id, app: app, change))
    }

    private mutating func advance() async throws {
        let (id, app) = someCampaign()
        let (ahead, limit) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...8, using: &random))
        begin()
        let count = try await queue.advanceCampaign(id, app: app, ahead: ahead, limit: limit)
        try model.advance(id, app, ahead: ahead, limit: limit, count)
    }
}
