import APNSVocabulary
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
import PushHTTP
import PushJSON
import PushPlatform
package import PushQueue
package import PushQueuePostgres

/// Everything that is kept of a device or an app, in the queue and in the inboxes of users.
package struct DeviceData: Sendable {
    package let queue: any QueueBackend
    private let inboxes: [PostgresInbox]

    package struct Erased {
        fileprivate var jobs: Int
        /// The rows and outcomes of inboxes.
        fileprivate var rows: Int
        /// Why something may be left in an inbox.
        fileprivate var failure: QueueError?

        /// The numbers.
        ///
        /// - Throws: ``QueueError`` if something may be left.
        package func whole() throws(QueueError) -> (jobs: Int, rows: Int) {
            guard let failure else { return (jobs, rows) }
            throw QueueError(
                failure.code,
                """
                \(failure.description) \(counted(jobs, "job was", "jobs were")) erased from the queue, but rows and outcomes may be left in \
                an inbox. Erase again.
                """)
        }
    }

    package init(_ queue: any QueueBackend, _ inboxes: [PostgresInbox]) {
        (self.queue, self.inboxes) = (queue, inboxes)
    }

    /// Erases everything about a device token, in an app or in all.
    ///
    /// - Returns: How many jobs there were, and how many rows and outcomes in inboxes.
    package func erase(token: String, app: String?) async throws(QueueError) -> Erased {
        try await erasing(InboxDevice(token: token), app) { () throws(QueueError) in
            let count = try await queue.purge(token: token, app: app)
            try await WebhookReports.forget(token: token, app: app, queue)
            return count
        }
    }

    /// Erases all jobs, keys, gone tokens, delivery counts, rows and outcomes of an app.
    package func erase(app: String) async throws(QueueError) -> Erased {
        try await erasing(nil, app) { () throws(QueueError) in
            var (total, count) = (0, Self.jobsPerStep)
            while count >= Self.jobsPerStep {
                count = try await queue.purge(app: app, limit: Self.jobsPerStep)
                total += count
            }
            try await WebhookReports.forget(app: app, queue)
            try await DeliveryCounts.forget(app: app, queue)
            try await CampaignRecords.forget(app: app, queue)
            return total
        }
    }

    private static let jobsPerStep = 1000

    /// What is moved into the queue or copied from it in the meantime is erased, too. An inbox that fails does not stop the others.
    private func erasing(
        _ device: InboxDevice?, _ app: String?, _ body: () async throws(QueueError) -> Int
    ) async throws(QueueError) -> Erased {
        var (rows, failure): (Int, QueueError?) = (0, nil)
        func eraseFromInboxes() async {
            for inbox in inboxes {
                do throws(QueueError) { rows += try await inbox.erase(device, app: app) } catch {
                    failure = failure ?? error
                }
            }
        }
        await eraseFromInboxes()
        // A mover that lost its connection may have rows that are erased by now.
        try await queue.noteErasure()
        let jobs = try await body()
        await eraseFromInboxes()
        return Erased(jobs: jobs, rows: rows, failure: failure)
    }
}

extension InboxDevice {
    /// The device with a token, which is found in a push as the mover finds it. A push that cannot be read counts if it has the digits, with
    /// or without escapes, or one of its texts is the token.
    init(token: String) {
        let token = token.lowercased()
        self.init(token) { push in
            guard let tree = try? APIRequest.json(push) else {
                let text = String(decoding: JSONEscapes.undone(push[...]), as: UTF8.self).lowercased()
                return text.contains(token)
                    || text.split(separator: "\"").contains { (try? DeviceToken(pasted: String($0)))?.hex == token }
            }
            return Entry.tokens(in: tree).contains(token)
        }
    }
}

/// What is kept of a device: to erase it, or to hand it out.
enum DeviceDataRoutes {
    static let all = [
        ServiceRoute(.delete, "/v1/notifications", .admin, query: ["token", "app"], handler: erase),
        ServiceRoute(.get, "/v1/export", .admin, query: ["token", "app"], handler: export),
    ]

    private static let pageSize = 200

    private static func token(_ request: APIRequest) throws(APIProblem) -> DeviceToken {
        guard let token = try request.token() else {
            throw .invalid("The token is missing.", code: "missing_parameter", field: "token", remedy: "Add ?token=.")
        }
        return token
    }

    /// The apps to look in; `nil` is all of the queue and the inboxes.
    private static func apps(_ request: APIRequest) throws(APIProblem) -> [String?] {
        request.isAboutAllApps ? [nil] : try request.askedApps()
    }

    @Sendable private static func erase(_ request: APIRequest) async throws -> Response {
        let (token, apps) = (try token(request), try apps(request))
        var (jobs, rows, failure): (Int, Int, QueueError?) = (0, 0, nil)
        for app in apps {
            // The entry comes first: an erasure that is interrupted has begun.
            let erased = try await request.audited("notifications.erase", app: app ?? "", object: token.shortened) {
                entry in
                let data = DeviceData(request.parts.queue, request.parts.inboxes)
                return try await request.waiting {
                    try await data.queue.note(entry)
                    return try await data.erase(token: token.hex, app: app)
                }
            }
            (jobs, rows, failure) = (jobs + erased.jobs, rows + erased.rows, failure ?? erased.failure)
        }
        if let failure {
            request.parts.logger.error("a device is not erased from an inbox", metadata: ["reason": "\(failure)"])
            throw APIProblem.later(
                .serviceUnavailable, code: "inbox_unavailable",
                "The queue's data was erased, but an inbox can't be asked: rows and outcomes may be left there.",
                afterSeconds: 30,
                remedy: "Send the request again later. The service's log tells you why.")
        }
        return Response(
            json: .members([
                ("erased", .integer(jobs)), ("inbox_rows", request.parts.inboxes.isEmpty ? nil : .integer(rows)),
            ]))
    }

    @Sendable private static func export(_ request: APIRequest) async throws -> Response {
        let (token, apps) = (try token(request), try apps(request))
        try request.hold(entries: pageSize)
        try request.hold(contents: pageSize)
        for app in apps {
            try await request.audited("notifications.export", app: app ?? "", object: token.shortened) { entry in
                try await request.parts.queue.note(entry)
            }
        }
        let (queue, inboxes, answers) = (request.parts.queue, request.parts.inboxes, request.parts.answers)
        return .stream("application/x-ndjson", keeping: request.memory) { writer in
            let device = InboxDevice(token: token.hex)
            func write(_ part: PostgresInbox.ExportPart, of app: String?) async throws {
                for inbox in inboxes {
                    var place: InboxRowKey?
                    repeat {
                        if answers.isOver { throw APIProblem.stopping }
                        try await request.checkKey()
                        let page = try await inbox.export(part, of: device, app: app, after: place)
                        place = page.next
                        for line in page.lines { try await writer.write(ByteBuffer(bytes: line + [0x0A])) }
                    } while place != nil
                }
            }
            func writeQueue(of app: String) async throws {
                var query = QueueJobQuery(app: app, filter: .target(.device(token.hex)), limit: pageSize)
                repeat {
                    if answers.isOver { throw APIProblem.stopping }
                    // The key may have been revoked since the export began.
                    try await request.checkKey()
                    let page = try await queue.jobs(query)
                    query.after = page.next
                    for start in stride(from: 0, to: page.items.count, by: APIRequest.contentsAtOnce) {
                        let jobs = page.items[start...].prefix(APIRequest.contentsAtOnce)
                        let contents = try await queue.contents(of: jobs.map(\.id), app: app)
                        for job in jobs {
                            let history = try await queue.history(of: job.id, app: app) ?? []
                            let line = JobDetail(job, contents[job.id], history: history).bytes(withHistory: true)
                            try await writer.write(ByteBuffer(bytes: line + [0x0A]))
                        }
                    }
                } while query.after != nil
                for gone in try await queue.gone(among: [token.hex], app: app) {
                    let line: PushJSONValue = [
                        "app": .string(app), "token": .string(gone.token), "gone_since": JobAnswer.time(gone.since),
                    ]
                    try await writer.write(ByteBuffer(bytes: line.encoded + [0x0A]))
                }
            }
            for app in apps {
                // In the order in which pushes go, so that one that goes on in the meantime is not missed.
                try await write(.rows, of: app)
                let names = if let app { [app] } else { try await queue.counts().keys.sorted() }
                for name in names { try await writeQueue(of: name) }
                try await write(.outcomes, of: app)
            }
        }
    }
}

extension APIRequest {
    func token() throws(APIProblem) -> DeviceToken? {
        guard let text = query["token"] else { return nil }
        return try rethrowing(try DeviceToken(pasted: text)) { (error: DeviceTokenError) in
            APIProblem.invalid("\(error)", code: "invalid_token", field: "token")
        }
    }
}
