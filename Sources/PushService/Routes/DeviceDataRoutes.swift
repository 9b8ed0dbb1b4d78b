import APNSVocabulary
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// What is kept of a device: to erase it, or to hand it out.
enum DeviceDataRoutes {
    static let all = [
        ServiceRoute(.delete, "/v1/notifications", .admin, query: ["token", "app"], handler: erase),
        ServiceRoute(.get, "/v1/export", .admin, query: ["token", "app"], handler: export),
    ]

    /// The number of notifications that are read at once.
    private static let pageSize = 200

    private static func token(_ request: APIRequest) throws(APIProblem) -> DeviceToken {
        guard let token = try request.token() else {
            throw .invalid("The token is missing.", code: "missing_parameter", field: "token", remedy: "Add ?token=.")
        }
        return token
    }

    @Sendable private static func erase(_ request: APIRequest) async throws -> Response {
        let (token, apps) = (try token(request), try request.askedApps())
        var count = 0
        for app in apps {
            // The entry comes first: an erasure that is interrupted has begun.
            count += try await request.audited("notifications.erase", app: app, object: token.shortened) { entry in
                let queue = request.parts.queue
                return try await request.waiting {
                    try await queue.note(entry)
                    let count = try await queue.purge(token: token.hex, app: app)
                    try await WebhookReports.forget(token: token.hex, app: app, queue)
                    return count
                }
            }
        }
        return Response(json: ["erased": .integer(count)])
    }

    @Sendable private static func export(_ request: APIRequest) async throws -> Response {
        let (token, apps) = (try token(request), try request.askedApps())
        try request.hold(entries: pageSize)
        for app in apps {
            try await request.audited("notifications.export", app: app, object: token.shortened) { entry in
                try await request.parts.queue.note(entry)
            }
        }
        let (queue, answers) = (request.parts.queue, request.parts.answers)
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(request.memory) {} }
                for app in apps {
                    var query = QueueJobQuery(app: app, filter: .target(.device(token.hex)), limit: pageSize)
                    repeat {
                        if answers.isOver { throw APIProblem.stopping }
                        // The key may have been revoked since the export began.
                        try await request.checkKey()
                        let page = try await queue.jobs(query)
                        query.after = page.next
                        if !page.items.isEmpty {
                            try await writer.write(ByteBuffer(bytes: try await lines(page.items, app, queue)))
                        }
                    } while query.after != nil
                    for gone in try await queue.gone(among: [token.hex], app: app) {
                        let line: PushJSONValue = [
                            "app": .string(app), "token": .string(gone.token), "gone_since": JobAnswer.time(gone.since),
                        ]
                        try await writer.write(ByteBuffer(bytes: line.encoded + [0x0A]))
                    }
                }
                try await writer.finish(nil)
            })
    }

    private static func lines(
        _ jobs: [QueueJobRecord], _ app: String, _ queue: any QueueBackend
    ) async throws(QueueError) -> [UInt8] {
        let contents = try await queue.contents(of: jobs.map(\.id), app: app)
        var bytes: [UInt8] = []
        for job in jobs {
            let history = try await queue.history(of: job.id, app: app)
            bytes += JobDetail(job, contents[job.id], history: history ?? []).bytes(withHistory: true)
            bytes.append(0x0A)
        }
        return bytes
    }
}

extension APIRequest {
    /// The device token in the query; `nil` if there is none.
    func token() throws(APIProblem) -> DeviceToken? {
        guard let text = query["token"] else { return nil }
        do throws(DeviceTokenError) { return try DeviceToken(pasted: text) } catch {
            throw .invalid("\(error)", code: "invalid_token", field: "token")
        }
    }
}
