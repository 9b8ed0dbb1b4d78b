import APNSVocabulary
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushLint
import PushPlatform
import PushProvider
import PushQueue

/// Reads what a new campaign is, from a JSON object or from a query.
struct CampaignForm {
    private let form: EntryForm
    /// Whether the form was made of a query, in which a problem has no line and no column.
    private let isQuery: Bool

    static let names = [
        "app", "name", "payload", "topic", "push_type", "priority", "collapse_id", "expires", "queue_priority",
        "token_column", "rate", "starts_at", "expires_at", "audience",
    ]

    init(body: JSONTree) throws(APIProblem) {
        try self.init(body, isQuery: false)
    }

    private init(_ tree: JSONTree, isQuery: Bool) throws(APIProblem) {
        self.isQuery = isQuery
        form = try EntryForm(TreePositions(tree), known: Self.names)
    }

    /// Numbers and objects of the body are texts in a query.
    init(query: [String: String]) throws(APIProblem) {
        if let payload = query["payload"] {
            do throws(APIProblem) { _ = try APIRequest.json(Array(payload.utf8), as: .payload) } catch {
                var problem = Self.inQuery(error)
                problem.field = "payload"
                throw problem
            }
        }
        var json = JSONWriter()
        json.object { json in
            for name in Self.names {
                guard let text = query[name] else { continue }
                json.member(name) { Self.isJSON(text, for: name) ? $0.raw(text) : $0.string(text) }
            }
        }
        do throws(APIProblem) {
            try self.init(try APIRequest.json(json.bytes), isQuery: true)
        } catch {
            throw Self.inQuery(error)
        }
    }

    /// Whether a parameter is JSON of the kind that the member of the body has. Otherwise it is refused as a text. The payload is JSON.
    private static func isJSON(_ text: String, for name: String) -> Bool {
        if name == "payload" { return true }
        guard let tree = try? JSONReader.tree(Array(text.utf8)) else { return false }
        switch (name, tree.nodes[JSONTree.root].kind) {
        case ("rate", .number), ("priority", .number): return true
        default: return false
        }
    }

    private static func inQuery(_ problem: APIProblem) -> APIProblem {
        var problem = problem
        problem.position = nil
        if let field = problem.field, field.hasPrefix("/") { problem.field = String(field.dropFirst()) }
        return problem
    }

    func campaign(_ request: APIRequest) throws -> NewQueueCampaign {
        do {
            return try read(request)
        } catch let problem as APIProblem {
            throw isQuery ? Self.inQuery(problem) : problem
        }
    }

    private func read(_ request: APIRequest) throws -> NewQueueCampaign {
        let app = try request.app(try form.word("app"), field: form.field("app"))
        guard let name = try form.string("name", bytes: 1...200) else {
            throw form.problem(
                "name", "The campaign has no name.", code: "missing_member",
                remedy: isQuery ? "Add it to the address: ?name=Sale" : "Add \"name\".")
        }
        let settings = try settings()
        if let audience = settings.audience { try check(audience, of: app, settings) }
        // Problems of all lines are found before the first line.
        try refusePayload(of: settings, try settings.defaults(for: app))
        try form.require(settings.topic, for: app)
        var campaign = NewQueueCampaign(name, app: app.name, settings: settings.encoded)
        campaign.rate = try Self.rate(form)
        campaign.starts = try form.deliveryTime("starts_at", .now)
        campaign.expires = try form.time("expires_at")
        try refuseEarlyEnd(campaign, settings)
        // A request with an idempotency key may repeat one that was in time. Then its lines are refused, each one with the reason.
        if try Replay.text(of: request) == nil { try refuseExpired(campaign, settings) }
        return campaign
    }

    /// Refuses an audience that the app doesn't have, or has no more.
    static func refuseUnknown(_ audience: String, of app: AppSettings?, field: String? = nil) throws(APIProblem) {
        let known = app?.recipients?.audiences ?? []
        guard !known.contains(audience) else { return }
        throw APIProblem.impossible(
            "The app has no audience \(String(audience.prefix(100)).debugDescription).", code: "unknown_audience",
            field: field,
            remedy: known.isEmpty
                ? "Add \"recipients\" with \"audiences\" to the app in the configuration."
                : NearestName.remedy(audience, among: known))
    }

    private func check(
        _ audience: String, of app: AppSettings, _ settings: CampaignSettings
    ) throws(APIProblem) {
        guard !isQuery else {
            throw form.problem(
                "audience", "The campaign has lines and an audience.",
                remedy:
                    "Leave out the lines: send {\"name\":...,\"audience\":...,\"payload\":{...}} as application/json.")
        }
        try Self.refuseUnknown(audience, of: app, field: form.field("audience"))
        guard let payload = settings.payload else {
            throw form.problem(
                "payload", "The campaign has no payload for its audience.", code: "missing_member",
                remedy: "Add \"payload\".")
        }
        if let template = try? PayloadTemplate(json: payload) { try refusePlaceholders(of: template) }
    }

    /// Refuses a payload that breaks a rule in every line, whatever its values are, as `pushsend batch` does.
    private func refusePayload(of settings: CampaignSettings, _ defaults: BatchDefaults) throws(APIProblem) {
        guard let payload = settings.payload, let range = try form.objectBytes("payload"),
            let context = defaults.lintContext
        else { return }
        var findings = PayloadLint.exceptPlaceholders(PayloadLint.findings(in: payload, context), in: payload)
        // A line of a file may have its own topic, and one that the app gives was not chosen for this campaign.
        if settings.topic == nil, settings.audience == nil {
            findings.removeAll { $0.location == nil && $0.subject == APNSHeader.topic }
        }
        let lint = EntryLint(
            form: form, payloadStart: range.lowerBound, templates: LastTemplate(), hasPositions: !isQuery)
        try lint.refuse(findings, in: payload)
    }

    /// Refuses a payload of an audience with placeholders. A device of an audience has no value for any, so unlike in a file, no line
    /// could have meant them, and everybody would get the defaults.
    private func refusePlaceholders(of template: PayloadTemplate) throws(APIProblem) {
        let defaults = template.unfilled(given: [], unused: [])
        let all =
            template.namesWithoutDefault.map { "{{\(PeerText.printable(String($0.prefix(40))))}}" }
            + defaults.map(\.placeholder)
        guard !all.isEmpty else { return }
        let end = defaults.count == all.count ? ", so everyone would get the default." : "."
        throw .impossible(
            "No device of an audience has a value for \(all.prefix(10).joined(separator: ", "))\(end)",
            code: "placeholder_without_value", field: form.field("payload"),
            remedy: "Write the text without placeholders, or upload lines with values instead of an audience.")
    }

    /// Refuses a campaign that expires before it starts, whatever time it is.
    private func refuseEarlyEnd(_ campaign: NewQueueCampaign, _ settings: CampaignSettings) throws(APIProblem) {
        guard let start = campaign.starts else { return }
        var ends = [("expires_at", campaign.expires?.milliseconds)]
        if let text = settings.expires, case .until(let seconds)? = PushExpiration(text: text)?.form {
            ends.append(("expires", Int64(seconds) * 1000))
        }
        for case (let name, let end?) in ends where end <= start.milliseconds {
            throw form.expired(
                name, "The campaign would expire before its start.", remedy: "Let it expire after \"starts_at\".")
        }
    }

    private func refuseExpired(_ campaign: NewQueueCampaign, _ settings: CampaignSettings) throws(APIProblem) {
        if let time = campaign.expires { try form.refuseExpired("expires_at", time.wholeSeconds, .now) }
        if let text = settings.expires, case .until(let seconds)? = PushExpiration(text: text)?.form {
            try form.refuseExpired("expires", seconds, .now)
        }
    }

    private func settings() throws(APIProblem) -> CampaignSettings {
        var settings = CampaignSettings()
        settings.payload = try form.objectBytes("payload").map { Array(form.tree.bytes[$0]) }
        guard (settings.payload?.count ?? 0) <= NewQueueJob.longestPayload else {
            throw form.problem(
                "payload", "The payload is longer than \(NewQueueJob.longestPayload) bytes.",
                code: "payload_too_large")
        }
        settings.topic = try form.header("topic")
        try form.refuse("topic", settings.topic.flatMap(TopicChecks.mistake(in:)))
        settings.pushType = try form.pushType("push_type")
        settings.priority = try form.priority("priority")
        settings.collapseID = try form.header("collapse_id")
        try form.refuse("collapse_id", settings.collapseID.flatMap(HeaderChecks.mistake(inCollapseID:)))
        settings.expires = try form.text("expires", "a string or a number")
        settings.queuePriority =
            try form.choice("queue_priority", QueuePriority.names, QueuePriority.init(name:)) ?? .low
        settings.tokenColumn = try form.string("token_column", bytes: 1...200)
        settings.audience = try form.string("audience", bytes: 1...200)
        return settings
    }

    /// `nil` for no limit.
    static func rate(_ form: EntryForm) throws(APIProblem) -> QueueCampaignRate? {
        guard let value = form.value("rate") else { return nil }
        guard let number = value.number, let rate = QueueCampaignRate(perSecond: number) else {
            throw form.problem(
                "rate", "\"rate\" must be a number of lines per second, from 0.001 to 1000000.",
                remedy: "Leave it out, or use null, for no limit.")
        }
        return rate
    }
}
