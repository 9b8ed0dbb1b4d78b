internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// Campaigns: lists of lines that are sent at their own rate.
enum CampaignRoutes {
    static let all = [
        ServiceRoute(
            .post, "/v1/campaigns", .send, query: CampaignForm.names + ["start", "unfilled", "count"], accepts: .lines,
            handler: make),
        ServiceRoute(
            .post, "/v1/campaigns/{id}/lines", .send, query: ["app", "from"], accepts: .lines,
            handler: addLines),
        ServiceRoute(.post, "/v1/campaigns/{id}/start", .send, query: ["app", "open", "unfilled"], handler: start),
        ServiceRoute(.post, "/v1/campaigns/{id}/close", .send, query: ["app"]) {
            try refuseAudience(of: try await find($0), closing)
            return try await command($0, .close)
        },
        ServiceRoute(.post, "/v1/campaigns/{id}/pause", .send, query: ["app"]) { try await command($0, .pause) },
        ServiceRoute(.post, "/v1/campaigns/{id}/resume", .send, query: ["app"]) { try await command($0, .resume) },
        ServiceRoute(.post, "/v1/campaigns/{id}/cancel", .cancel, query: ["app"]) {
            try await command($0, .cancel)
        },
        ServiceRoute(.patch, "/v1/campaigns/{id}", .send, query: ["app"], handler: setRate),
        ServiceRoute(.get, "/v1/campaigns", .read, query: ["app", "limit", "after"], handler: list),
        ServiceRoute(.get, "/v1/campaigns/{id}", .read, query: ["app"]) {
            try await answer(try await find($0), $0, status: .ok)
        },
        ServiceRoute(
            .get, "/v1/campaigns/{id}/report", .read, query: ["app", "only", "after", "limit"],
            handler: CampaignReport.answer),
    ]

    private static let maximumListed = 100
    /// How many campaigns of a page are in memory at once with their settings, of up to 256 KiB each.
    private static let listStep = 10

    static var unknown: APIProblem { .notFound("There is no such campaign.") }

    // MARK: Making

    @Sendable private static func make(_ request: APIRequest) async throws -> Response {
        let type = request.source.contentType
        guard type == "application/json" else { return try await makeWithLines(request, type) }
        let body = try await request.body()
        let counts = try request.bool("count") ?? false
        if let other = request.query.keys.sorted().first(where: { $0 != "app" && $0 != "count" }) {
            throw APIProblem.invalid(
                "\(other) belongs in the JSON body.", field: other,
                remedy: "The query can describe the campaign only if the body has its lines.")
        }
        let new = try await request.reading(body.count) {
            let tree = try APIRequest.json(body)
            try request.hold(tree)
            return try CampaignForm(body: tree).campaign(request)
        }
        if counts { return try await count(new, request) }
        let campaign = try await create(new, request, hasLines: false, starts: false)
        return try await answer(campaign, request, status: .created)
    }

    /// Says how many devices an audience has, and makes nothing.
    private static func count(_ new: NewQueueCampaign, _ request: APIRequest) async throws -> Response {
        guard let audience = CampaignSettings(encoded: new.settings)?.audience,
            let recipients = request.parts.apps[new.app]?.recipients
        else {
            throw APIProblem.invalid(
                "Only an audience can be counted.", field: "count", remedy: "Add \"audience\", or leave out count.")
        }
        do {
            let sender = request.key?.number
            let count = try await request.waiting { try await recipients.count(of: audience, sender: sender) }
            return Response(json: ["count": .integer(count)])
        } catch let error as QueueError {
            throw APIProblem.recipients(error)
        }
    }

    private static let closing = "A campaign to an audience closes after its last device."

    private static func refuseAudience(
        of campaign: QueueCampaign, _ detail: String, field: String? = nil
    ) throws(APIProblem) {
        guard CampaignSettings(encoded: campaign.settings)?.audience != nil else { return }
        throw .impossible(detail, code: "has_audience", field: field, remedy: "Make a campaign without an audience.")
    }

    /// Makes a campaign of the query, takes the lines of the body, and starts it.
    private static func makeWithLines(_ request: APIRequest, _ type: String?) async throws -> Response {
        let starts = try request.bool("start") ?? true
        guard request.query["count"] == nil else {
            throw APIProblem.invalid("Only an audience can be counted.", field: "count", remedy: "Leave out count.")
        }
        _ = try request.bool("unfilled")
        let format = try format(type)
        let new = try CampaignForm(query: request.query).campaign(request)
        let hasKey = try Replay.text(of: request) != nil
        var upload = try await LineUpload(request, of: new, format: format, isWhole: hasKey) {
            try await create(new, request, hasLines: true, starts: starts)
        }
        try await upload.run()
        guard let campaign = upload.campaign else { throw unknown }
        if starts {
            do { try await MisspeltPlaceholders.check(campaign, request) } catch let problem as APIProblem {
                throw upload.adding(to: problem)
            }
        }
        var ended = campaign
        if hasKey {
            ended = try await end(upload, of: campaign, starts: starts, request)
        } else if starts {
            ended = try await changed(campaign, .start(closes: true), request)
        } else if let now = try await request.parts.queue.campaign(campaign.id, app: campaign.app) {
            ended = now
        }
        return try await answer(
            ended, request, status: campaign.isOpen ? .created : .ok, adding: ["upload": .object(upload.members)])
    }

    /// Starts the campaign of an upload with an idempotency key, if it has exactly the lines of the upload: another upload with the
    /// same key, whose first lines are the same, may have been running at the same time.
    private static func end(
        _ upload: LineUpload, of campaign: QueueCampaign, starts: Bool, _ request: APIRequest
    ) async throws -> QueueCampaign {
        let queue = request.parts.queue
        func current() async throws -> QueueCampaign {
            guard let now = try await queue.campaign(campaign.id, app: campaign.app) else { throw unknown }
            guard starts ? upload.isWhole(of: now) : try await upload.isSame(in: now) else { throw Replay.conflict }
            return now
        }
        var now = try await current()
        guard starts else { return now }
        if now.isOpen {
            // What cannot be closed has been closed by the same request since.
            _ = try await queue.changeCampaign(campaign.id, app: campaign.app, .close)
            now = try await current()
        }
        guard now.state == .draft else { return now }
        _ = try await answer(to: .start(closes: true), of: campaign, request)
        return try await current()
    }

    private static func create(
        _ new: NewQueueCampaign, _ request: APIRequest, hasLines: Bool, starts: Bool
    ) async throws -> QueueCampaign {
        var noted = new
        noted.key = try Replay.text(of: request)
        if noted.key != nil {
            noted.settings = CampaignSettings.noting(
                new.rate, hasLines: hasLines, starts: starts, in: new.settings)
        }
        let created = try await request.audited("campaign.create", app: noted.app, name: noted.name) { entry in
            try await request.parts.queue.createCampaign(noted) { entry.adding(object: JobAnswer.text($0.id)) }
        } noted: {
            if case .created(let campaign) = $0 { $1.adding(object: JobAnswer.text(campaign.id)) } else { nil }
        }
        switch created {
        case .created(let campaign), .existing(let campaign): return campaign
        case .conflict: return try await ofEarlierVersion(new, key: noted.key, request)
        case .inProgress: throw Replay.campaignInProgress
        case .tooMany:
            throw APIProblem(
                status: .tooManyRequests, code: "too_many_campaigns",
                detail: "The app has \(QueueCampaign.maximumUnfinished) campaigns that haven't ended.",
                remedy: "Cancel drafts that you don't need, or wait until a campaign has ended.")
        }
    }

    /// The campaign with the same key that a version without a note of the request has made: its rate is not known any more.
    private static func ofEarlierVersion(
        _ new: NewQueueCampaign, key: String?, _ request: APIRequest
    ) async throws -> QueueCampaign {
        var plain = new
        plain.key = key
        guard case .existing(let campaign) = try await request.parts.queue.createCampaign(plain) else {
            throw Replay.conflict
        }
        return campaign
    }

    // MARK: Lines

    @Sendable private static func addLines(_ request: APIRequest) async throws -> Response {
        let campaign = try await find(request)
        try refuseAudience(of: campaign, "The lines of the campaign are the devices of its audience.")
        let first = try request.number("from", in: 1...QueueCampaignLine.greatestNumber)
        let type = request.source.contentType
        if type == "application/json" { return try await addArray(request, campaign, first: first) }
        var upload = try await LineUpload(
            request, campaign, format: try format(type), first: first)
        try await upload.run()
        return try await answer(upload, request)
    }

    private static let maximumLines = 1000

    /// Adds the lines of an array, for clients that cannot send a stream.
    private static func addArray(
        _ request: APIRequest, _ campaign: QueueCampaign, first: Int?
    ) async throws -> Response {
        let body = try await request.body()
        let tree = try await request.reading(body.count) { try APIRequest.json(body, entries: maximumLines) }
        try request.hold(tree)
        let count =
            tree.nodes[JSONTree.root].kind == .array ? tree.children(of: JSONTree.root).reduce(0) { n, _ in n + 1 } : 0
        guard (1...maximumLines).contains(count) else {
            throw APIProblem.invalid(
                "The body must be an array of 1 to \(maximumLines) lines.", code: "array_size",
                remedy: "Send more as a stream of lines, with content-type: application/x-ndjson.")
        }
        var upload = try await LineUpload(request, campaign, format: .jsonLines, first: first)
        try await upload.run(tree)
        return try await answer(upload, request)
    }

    private static func answer(_ upload: LineUpload, _ request: APIRequest) async throws -> Response {
        let now = try await find(request)
        return try await answer(now, request, status: .ok, adding: ["upload": .object(upload.members)])
    }

    private static func format(_ type: String?) throws(APIProblem) -> BatchFormat {
        switch type {
        case "application/x-ndjson": return .jsonLines
        case "text/csv": return .csv
        default:
            throw APIProblem(
                status: .unsupportedMediaType, code: "content_type",
                detail: "Lines need the content type application/x-ndjson or text/csv.", field: "content-type",
                remedy: "With curl: -H 'content-type: application/x-ndjson'.")
        }
    }

    // MARK: Changes

    @Sendable private static func start(_ request: APIRequest) async throws -> Response {
        let campaign = try await find(request)
        try await MisspeltPlaceholders.check(campaign, request)
        let isOpen = try request.bool("open") == true
        if isOpen {
            try refuseAudience(of: campaign, closing, field: "open")
        }
        // What adds the devices also closes the campaign.
        let audience = CampaignSettings(encoded: campaign.settings)?.audience
        if let audience { try CampaignForm.refuseUnknown(audience, of: request.parts.apps[campaign.app]) }
        return try await command(request, .start(closes: !isOpen && audience == nil))
    }

    @Sendable private static func setRate(_ request: APIRequest) async throws -> Response {
        let form = try await request.form("rate")
        guard form.has("rate") else {
            throw form.problem(
                "rate", "The rate is missing.", code: "missing_member",
                remedy: "Give a number of lines per second, or null for no limit.")
        }
        return try await change(request, .rate(try CampaignForm.rate(form)))
    }

    /// A change that needs no members.
    private static func command(_ request: APIRequest, _ change: QueueCampaignChange) async throws -> Response {
        _ = try await request.form()
        return try await self.change(request, change)
    }

    private static func change(_ request: APIRequest, _ change: QueueCampaignChange) async throws -> Response {
        let campaign = try await find(request)
        if change == .resume || change == .cancel {
            try await CampaignRecords.mistakes.forget(campaign, request.parts.queue)
        }
        return try await answer(try await changed(campaign, change, request), request, status: .ok)
    }

    private static func changed(
        _ campaign: QueueCampaign, _ change: QueueCampaignChange, _ request: APIRequest
    ) async throws -> QueueCampaign {
        switch try await answer(to: change, of: campaign, request) {
        case .done(let campaign): return campaign
        case .unknownCampaign: throw unknown
        case .impossible(let state):
            throw APIProblem.conflict(
                "A campaign in the state \(state.name) doesn't allow this.", code: "campaign_state",
                remedy: state == .draft ? "Start it first." : nil)
        }
    }

    /// Makes a change, which the audit notes if it is possible.
    private static func answer(
        to change: QueueCampaignChange, of campaign: QueueCampaign, _ request: APIRequest
    ) async throws -> QueueCampaignAnswer {
        try await request.audited(
            "campaign.\(change.name)", app: campaign.app, object: JobAnswer.text(campaign.id), name: campaign.name,
            after: change.words
        ) { entry in
            try await request.parts.queue.changeCampaign(campaign.id, app: campaign.app, change, audit: entry)
        } noted: {
            if case .done = $0 { $1 } else { nil }
        }
    }

    // MARK: Reading

    /// To keys of other apps, it is as if the campaign did not exist.
    static func find(_ request: APIRequest) async throws -> QueueCampaign {
        guard let id = request.parameters["id"].flatMap(UUID.init(uuidString:)) else { throw unknown }
        for app in try request.askedApps() {
            guard let campaign = try await request.parts.queue.campaign(id, app: app) else { continue }
            try request.memory.grow(by: campaign.settings.count)
            return campaign
        }
        throw unknown
    }

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let (app, queue) = (try request.appName(), request.parts.queue)
        let maximum = min(try request.limit(), maximumListed)
        try request.memory.grow(by: min(maximum, listStep) * NewQueueCampaign.longestSettings)
        let now = try await queue.now()
        var values: [PushJSONValue] = []
        var after = request.query["after"]
        repeat {
            let page = try await queue.campaigns(app: app, after: after, limit: min(maximum - values.count, listStep))
            // The values are without the payloads.
            values += page.items.map { CampaignValue.value($0, now: now) }
            after = page.next
        } while after != nil && values.count < maximum
        return request.list(values, next: after)
    }

    private static func answer(
        _ campaign: QueueCampaign, _ request: APIRequest, status: HTTPResponse.Status,
        adding more: [String: PushJSONValue] = [:]
    ) async throws -> Response {
        let outcomes = try await request.parts.queue.outcomes(ofCampaign: campaign.id, app: campaign.app)
        let now = try await request.parts.queue.now()
        let value = CampaignValue.value(campaign, outcomes: outcomes, now: now)
        var more = more
        // They quote the payload. Who has just sent it knows it.
        let showsPayload = request.parts.showsPayloads || status == .created
        let start = campaign.started ?? max(now, campaign.starts ?? now)
        let warnings = showsPayload ? CampaignSettings(encoded: campaign.settings)?.warnings(at: start) ?? [] : []
        if !warnings.isEmpty { more["warnings"] = .array(warnings) }
        more["problem"] = try await AudienceFiller.mistake(of: campaign, request.parts.queue).map { .string($0) }
        return Response(json: value.adding(more), status: status)
    }
}

extension QueueCampaignChange {
    fileprivate var name: String {
        switch self {
        case .start: "start"
        case .close: "close"
        case .pause: "pause"
        case .resume: "resume"
        case .cancel: "cancel"
        case .rate: "rate"
        }
    }

    /// What changes, if the name does not say it.
    fileprivate var words: String? {
        guard case .rate(let rate) = self else { return nil }
        guard let rate = rate?.perSecond else { return "no limit" }
        return "\(rate == rate.rounded() ? "\(Int(rate))" : "\(rate)") per second"
    }
}
