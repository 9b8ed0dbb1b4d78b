package import PushJSON
package import PushPlatform
package import PushQueue

/// A dead letter that was put into the queue again, and what is different now.
package struct RedrivenJob {
    package let new: QueueJobRecord
    /// Sentences about what differs from the dead letter.
    package let changes: [String]

    package init(_ new: QueueJobRecord, from old: QueueJobRecord) {
        self.new = new
        var changes: [String] = []
        switch (old.expires, new.expires) {
        case (let before?, nil):
            changes.append("It never expires; the dead letter's expiry was \(before.rfc3339).")
        case (nil, let time?): changes.append("It expires at \(time.rfc3339); the dead letter never expired.")
        case (let before?, let time?) where before != time:
            changes.append("It expires at \(time.rfc3339); the dead letter's expiry was \(before.rfc3339).")
        default: break
        }
        if old.due > new.due, old.due > new.queued {
            changes.append("It is due immediately; the dead letter was due at \(old.due.rfc3339).")
        }
        if old.campaign != nil { changes.append("It isn't a line of the campaign.") }
        if old.dedupeKey != nil { changes.append("It has no dedupe key.") }
        self.changes = changes
    }

    /// The new jobs of dead letters, by the ids of the new jobs. A job that was purged in the meantime is missing.
    package static func find(
        _ results: [QueueRedriveResult], of ids: [UUID], app: String, _ queue: any QueueBackend
    ) async throws(QueueError) -> [UUID: RedrivenJob] {
        var sources: [UUID: UUID] = [:]
        for (id, result) in zip(ids, results) { if case .queued(let new) = result { sources[new] = id } }
        guard !sources.isEmpty else { return [:] }
        let old = Dictionary(try await queue.jobs(Array(sources.values), app: app).map { ($0.id, $0) }) { first, _ in
            first
        }
        var found: [UUID: RedrivenJob] = [:]
        for new in try await queue.jobs(Array(sources.keys), app: app) {
            if let source = sources[new.id], let letter = old[source] { found[new.id] = RedrivenJob(new, from: letter) }
        }
        return found
    }

    package var members: [(String, PushJSONValue?)] {
        [
            ("deliver_at", JobAnswer.time(new.due)), ("expires_at", new.expires.map(JobAnswer.time)),
            ("changes", changes.isEmpty ? nil : .array(changes.map { .string($0) })),
        ]
    }
}
