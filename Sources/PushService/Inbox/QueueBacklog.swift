package import PushQueue

/// What a queue still has to hand on, which another queue could not.
package struct QueueBacklog {
    /// Outcomes of each app that its webhook has not delivered.
    package var webhooks: [String: Int]
    /// Outcomes that each inbox has not got.
    package var inboxes: [String: Int]
    /// Gone tokens of each app that its own table may still have.
    package var gone: [String: Int]

    /// The kinds of records with positions and leases, which have no meaning in another queue.
    package static let kindsOfOneQueue = WebhookBacklog.kindsOfOneQueue.union([GoneDeletion.kind])

    package init(_ queue: any QueueBackend) async throws(QueueError) {
        webhooks = try await WebhookBacklog.count(queue)
        inboxes = try await InboxFeed.backlog(queue)
        gone = try await GoneDeletion.backlog(queue)
    }

    package var count: Int { [webhooks, inboxes, gone].flatMap(\.values).reduce(0, +) }
}
