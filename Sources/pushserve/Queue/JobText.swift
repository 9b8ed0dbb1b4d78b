import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushQueue
import PushService

enum JobText {
    /// The id as the service and APNs write it.
    static func text(_ id: UUID) -> String { JobAnswer.text(id) }

    /// The job as the API shows it, on one line.
    static func line(_ job: QueueJobRecord, history: [QueueJobEvent]? = nil) -> JSONLine {
        JSONLine(JobAnswer.value(job, history: history))
    }

    // MARK: Text

    /// The device token in short, or the channel.
    static func target(_ target: QueueJobTarget) -> String {
        switch target {
        case .device(let token): DeviceToken.shortened(token)
        case .channel(let channel): "channel \(channel)"
        }
    }

    /// The state, or the outcome with its reason.
    static func status(_ job: QueueJobRecord) -> String {
        guard let outcome = job.outcome else { return job.state.name }
        let reason = outcome.reason.map { " (\($0))" } ?? ""
        return outcome.kind.name.replacing("_", with: " ") + reason
    }

    static func lines(_ job: QueueJobRecord, history: [QueueJobEvent]) -> [String] {
        var pairs = [
            ("id", text(job.id)), ("app", job.app), ("to", target(job.target)), ("status", status(job)),
            ("taken in", job.queued.rfc3339), ("due", job.due.rfc3339),
        ]
        func add(_ name: String, _ value: String?) { if let value { pairs.append((name, value)) } }
        add("expires", job.expires.map(\.rfc3339))
        add("finished", job.finished.map(\.rfc3339))
        add("tries", String(job.attempts))
        add("lost workers", job.lostLeases > 0 ? String(job.lostLeases) : nil)
        add("priority", job.priority.name)
        add("delivery", job.policy == .atLeastOnce ? "at least once" : "at most once")
        add("worker", job.owner)
        add("dedupe key", job.dedupeKey)
        add("detail", job.outcome?.detail)
        add("put in again as", job.redrivenAs.map(text))
        add("payload", job.isErased ? "erased" : nil)
        let width = pairs.map(\.0.count).max() ?? 0
        let facts = pairs.map { "\($0.0.padded(to: width))  \($0.1)" }
        guard !history.isEmpty else { return facts }
        return facts + ["history:"]
            + history.map { event in
                "  \(event.time.rfc3339)  \(event.kind.name)\(event.detail.map { ": \($0)" } ?? "")"
            }
    }
}
