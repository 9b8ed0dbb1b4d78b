import Logging
import PushDelivery
import PushQueue

/// Deletes device tokens that Apple has reported gone from the teams' own tables, with the time of the report.
///
/// The position in the outcomes is stored with the queue, so none is left out after a kill or while a database is down.
struct GoneDeletion {
    let parts: ServiceParts
    private var failing: [String: String] = [:]

    /// The kind of the records with the positions. They belong to the outcomes of one queue, see `WebhookBacklog.kindsOfOneQueue`.
    static let kind = "recipients_gone"
    private static let pageSize = 500
    private static let pace = Duration.seconds(1)

    init(_ parts: ServiceParts) {
        self.parts = parts
    }

    /// Deletes until the task is cancelled.
    mutating func run() async {
        while !Task.isCancelled {
            if await !step() { try? await Task.sleep(for: Self.pace) }
        }
    }

    /// Handles a page of outcomes of each app. Returns whether one of them may have more.
    mutating func step() async -> Bool {
        var hasMore = false
        for app in parts.apps.settings().values {
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
        guard page.next.number != number else { return false }
        let gone = page.items.compactMap { job -> GoneToken? in
            guard case .device(let token) = job.target, let since = job.outcome?.goneSince else { return nil }
            return GoneToken(token, since: since)
        }
        do throws(QueueError) { try await recipients.delete(gone) } catch {
            guard error.code == .damaged || error.code == .invalid else { throw error }
            // One of them may be the cause, for example a row that others refer to. It does not hold up the others.
            for token in gone {
                do throws(QueueError) { try await recipients.delete([token]) } catch {
                    guard error.code == .damaged || error.code == .invalid else { throw error }
                    log(app, "a gone token can't be deleted", error)
                }
            }
        }
        let bytes = Array("\(page.next.number)".utf8)
        _ = try await parts.queue.store(bytes, kind: Self.kind, key: app, ifVersion: record?.version)
        return true
    }

    private func log(_ app: String, _ event: Logger.Message, _ error: QueueError) {
        parts.logger.error(event, metadata: ["app": "\(app)", "reason": "\(error)"])
    }
}
