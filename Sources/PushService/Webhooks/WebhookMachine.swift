internal import PushQueue

/// The window of a webhook, for several tasks.
actor WebhookMachine {
    private(set) var window: WebhookWindow

    init(_ window: WebhookWindow) {
        self.window = window
    }

    func add(_ page: QueueResultPage, wanted: Set<QueueJobOutcome.Kind>, now: QueueTime) {
        for (job, cursor) in zip(page.items, page.cursors) {
            window.add(cursor, isWanted: job.outcome.map { wanted.contains($0.kind) } ?? false, now: now)
        }
        window.hasRead(to: page.next)
    }

    func take(upTo atOnce: Int, now: QueueTime) -> [QueueResultCursor] { window.take(upTo: atOnce, now: now) }
    func succeeded(_ cursor: QueueResultCursor) { window.succeeded(cursor) }
    func postponed(_ cursor: QueueResultCursor, now: QueueTime) { window.postponed(cursor, now: now) }
    func vanished(_ cursor: QueueResultCursor) { window.vanished(cursor) }

    func retryNow(_ now: QueueTime) { window.retryNow(now) }

    func refused(_ cursor: QueueResultCursor, now: QueueTime, chance: Double) {
        window.refused(cursor, now: now, chance: chance)
    }

    func failed(_ cursor: QueueResultCursor, now: QueueTime, asked: Duration?, chance: Double) -> Bool {
        window.failed(cursor, now: now, asked: asked, chance: chance)
    }
}
