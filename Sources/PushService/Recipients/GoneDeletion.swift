import Logging
import PushDelivery
import PushQueue

/// Deletes device tokens that Apple has reported gone from the teams' own tables, with the time of the report.
///
/// The position in the outcomes is stored with the queue, so none is left out after a kill or while a database is down.
struct GoneDeletion {
    let parts: ServiceParts
    /// The app whose tokens are deleted; `nil` for all.
    let app: String?
    private var failing: [String: String] = [:]

    /// The kind of the records with the positions. They belong to the outcomes of one queue, see `QueueBacklog.kindsOfOneQueue`.
    static let kind = "recipients_gone"
    private static let pageSize = 500
    private static let pace = Duration.seconds(1)

    init(_ parts: ServiceParts, app: String? = nil) {
        (self.parts, self.app) = (parts, app)
    }

    mutating func run() async {
        while !Task.isCancelled {
            if await !step() { try? await Task.sleep(for: Self.pace) }
        }
    }

    /// Handles a page of outcomes of each app. Returns whether one of them may have more.
    mutating func step() async -> Bool {
        var hasMore = false
        for app in parts.apps.settings().values where self.app ?? app.name == app.name {
            guard let recipients = app.recipients, recipients.deletesGone else { continue }
            do throws(QueueError) {
                if try await step(app.name, recipients) { hasMore = true }
                if failing.removeValue(forKey: app.name) != nil {
                    parts.logger.notice("gone tokens can be deleted again", metadata: ["app": "\(app.name)"])
                }
            } catch {
                if failing.updateValue("\(error)", forKey: app.name) != "\(error)" {
                    log(app.name, "gone tokens can't be deleted; the service retries", error)
                }
            }
        }
        return hasMore
    }

    private func step(_ app: String, _ recipients: Recipients) async throws(QueueError) -> Bool {
        let record = try await parts.queue.record(kind: Self.kind, key: app)
        let number = record.flatMap { Int64(String(decoding: $0.value, as: UTF8.self)) } ?? 0
        let page = try await parts.queue.results(
            of: [app], after: QueueResultCursor(number: number), limit: Self.pageSize)
        // The first position is stored, too: an export sees from it which tokens are left.
        guard page.next.number != number || record == nil else { return false }
        let gone = page.items.compactMap { job -> GoneToken? in
            guard case .device(let token) = job.target, let since = job.outcome?.goneSince else { return nil }
            return GoneToken(token, since: since)
        }
        do throws(QueueError) { try await recipients.delete(gone) } catch {
            guard error.code == .invalid else { throw error }
            // One of them may be the cause, for example a row that others refer to. It does not hold up the others.
            for token in gone {
                do throws(QueueError) { try await recipients.delete([token]) } catch {
                    guard error.code == .invalid else { throw error }
                    log(app, "a gone token can't be deleted", error)
                }
            }
        }
        let bytes = Array("\(page.next.number)".utf8)
        _ = try await parts.queue.store(bytes, kind: Self.kind, key: app, ifVersion: record?.version)
        return page.next.number != number
    }

    /// How many tokens are not deleted yet, by app.
    static func backlog(_ queue: any QueueBackend) async throws(QueueError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for record in try await queue.records(kind: kind, after: nil, limit: 1000) {
            let number = Int64(String(decoding: record.value, as: UTF8.self)) ?? 0
            let count = try await queue.count(of: [record.key], after: QueueResultCursor(number: number)) {
                $0.outcome?.goneSince != nil
            }
            if count > 0 { counts[record.key] = count }
        }
        return counts
    }

    private func log(_ app: String, _ event: Logger.Message, _ error: QueueError) {
        parts.logger.error(event, metadata: ["app": "\(app)", "reason": "\(error)"])
    }
}

extension ServiceParts {
    /// Begins work for each app as soon as one has a table of devices, until the task is cancelled. An app whose table is slow does not hold up
    /// the others.
    func forEachApp(_ work: @escaping @Sendable (String) async -> Void) async {
        await withTaskGroup { group in
            var begun: Set<String> = []
            while !Task.isCancelled {
                let settings = apps.settings()
                if settings.values.contains(where: { $0.recipients != nil }) {
                    for app in settings.keys where begun.insert(app).inserted { group.addTask { await work(app) } }
                }
                // A reload may add one.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}
