import PushCampaign
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue

/// What a push says to people: its title and body, with the values of its template.
enum JobAlert {
    /// The maximum number of Unicode scalars of each text; the rest is left out.
    private static let longest = 300

    /// The jobs of a page as JSON, with `alerts=true` together with their alerts. Only the payloads of these jobs are read.
    static func values(of jobs: [QueueJobRecord], _ request: APIRequest) async throws -> [PushJSONValue] {
        let values = jobs.map { JobAnswer.value($0) }
        guard try request.bool("alerts") ?? false, request.parts.showsPayloads else { return values }
        try request.hold(entries: jobs.count)
        try request.hold(contents: jobs.count)
        let templates = LastTemplate(isStored: true)
        // Jobs of two apps can have the same id.
        var alerts: [String: [UUID: PushJSONValue]] = [:]
        for (app, ofApp) in Dictionary(grouping: jobs, by: \.app) {
            for start in stride(from: 0, to: ofApp.count, by: APIRequest.contentsAtOnce) {
                let ids = ofApp[start...].prefix(APIRequest.contentsAtOnce).map(\.id)
                let contents = try await request.parts.queue.contents(of: ids, app: app)
                for id in ids { alerts[app, default: [:]][id] = value(of: contents[id], templates) }
            }
        }
        return zip(jobs, values).map { job, value in
            alerts[job.app]?[job.id].map { value.adding(["alert": $0]) } ?? value
        }
    }

    /// The alert of one push; `nil` if it has none, or its payload was erased.
    static func value(of content: QueueJobContent?, _ templates: LastTemplate = LastTemplate(isStored: true))
        -> PushJSONValue?
    {
        guard let payload = content?.payload.flatMap({ filled($0, content?.variables, templates) }),
            let alert = PushJSONValue(json: payload)?["aps"]?["alert"]
        else { return nil }
        if case .string = alert { return .members([("body", text(alert))]) }
        // On the phone, the app has the texts of a key.
        let title = text(alert["title"]) ?? text(alert["title-loc-key"])
        let body = text(alert["body"]) ?? text(alert["loc-key"]) ?? text(alert["subtitle"])
        return title == nil && body == nil ? nil : .members([("title", title), ("body", body)])
    }

    private static func filled(_ payload: [UInt8], _ variables: [UInt8]?, _ templates: LastTemplate) -> [UInt8]? {
        guard let variables else { return payload }
        return try? templates.template(payload).payload(variables: variables).bytes
    }

    private static func text(_ value: PushJSONValue?) -> PushJSONValue? {
        guard case .string(let text)? = value else { return nil }
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))))
    }
}
