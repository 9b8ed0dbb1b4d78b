#if PushService
    internal import PushQueue

    /// The window of a webhook, for several tasks.
    actor WebhookMachine {
        private(set) var window: WebhookWindow

        init(_ window: WebhookWindow) {
            self.window = window
        }

        func add(_ page: ResultPage, wanted: Set<JobOutcome.Kind>, now: QueueTime) {
            for (job, cursor) in zip(page.items, page.cursors) {
                window.add(cursor, isWanted: job.outcome.map { wanted.contains($0.kind) } ?? false, now: now)
            }
            window.hasRead(to: page.next)
        }

        func take(upTo atOnce: Int, now: QueueTime) -> [ResultCursor] { window.take(upTo: atOnce, now: now) }
        func succeeded(_ cursor: ResultCursor) { window.succeeded(cursor) }
        func postponed(_ cursor: ResultCursor, now: QueueTime) { window.postponed(cursor, now: now) }
        func vanished(_ cursor: ResultCursor) { window.vanished(cursor) }

        func refused(_ cursor: ResultCursor, now: QueueTime, chance: Double) {
            window.refused(cursor, now: now, chance: chance)
        }

        func failed(_ cursor: ResultCursor, now: QueueTime, asked: Duration?, chance: Double) -> Bool {
            window.failed(cursor, now: now, asked: asked, chance: chance)
        }
    }
#endif
