import APNSVocabulary
import PushJSON
import PushPlatform
import PushQueue

/// A job in the words of the output.
enum JobText {
    static func word(_ state: JobState) -> String {
        switch state {
        case .waiting: "waiting"
        case .leased: "leased"
        case .started: "started"
        case .finished: "finished"
        case .held: "held"
        }
    }

    static func word(_ kind: JobOutcome.Kind) -> String {
        switch kind {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .unknown: "unknown"
        case .notSent: "not_sent"
        }
    }

    static func word(_ priority: QueuePriority) -> String {
        switch priority {
        case .urgent: "high"
        case .normal: "normal"
        case .bulk: "low"
        }
    }

    /// An id as the service and APNs write it.
    static func text(_ id: UUID) -> String { id.uuidString.lowercased() }

    // MARK: JSON

    /// The job as the service shows it, on one line.
    static func line(_ job: JobRecord, history: [JobEvent]? = nil) -> JSONLine {
        var line = JSONLine()
        line["id"] = .string(text(job.id))
        line["app"] = .string(job.app)
        switch job.target {
        case .device(let token): line["token"] = .string(token)
        case .channel(let channel): line["channel"] = .string(channel)
        }
        line["state"] = .string(word(job.state))
        line["outcome"] = job.outcome.map(json)
        line["queued_at"] = json(job.queued)
        line["deliver_at"] = json(job.due)
        line["expires_at"] = job.expires.map(json)
        line["finished_at"] = job.finished.map(json)
        line["attempts"] = .integer(job.attempts)
        line["queue_priority"] = .string(word(job.priority))
        line["dedupe_key"] = job.dedupeKey.map { .string($0) }
        line["redriven_as"] = job.redrivenAs.map { .string(text($0)) }
        line["history"] = history.map { .array($0.map(json)) }
        return line
    }

    private static func json(_ time: QueueTime) -> JSONValue { .string(TimeText.rfc3339(time)) }

    private static func json(_ outcome: JobOutcome) -> JSONValue {
        var members: [String: JSONValue] = ["kind": .string(word(outcome.kind))]
        if let reason = outcome.reason { members["reason"] = .string(reason) }
        if let detail = outcome.detail { members["detail"] = .string(detail) }
        if let status = outcome.status { members["status"] = .integer(status) }
        if let id = outcome.uniqueID { members["apns_unique_id"] = .string(text(id)) }
        return .object(members)
    }

    private static func json(_ event: JobEvent) -> JSONValue {
        var members: [String: JSONValue] = ["at": json(event.time), "event": .string(event.kind.name)]
        if let detail = event.detail { members["detail"] = .string(detail) }
        return .object(members)
    }

    // MARK: Text

    /// The device token in short, or the channel.
    static func target(_ target: JobTarget) -> String {
        switch target {
        case .device(let token): DeviceToken.shortened(token)
        case .channel(let channel): "channel \(channel)"
        }
    }

    /// The state, or the outcome with its reason.
    static func status(_ job: JobRecord) -> String {
        guard let outcome = job.outcome else { return word(job.state) }
        let reason = outcome.reason.map { " (\($0))" } ?? ""
        return word(outcome.kind).replacing("_", with: " ") + reason
    }

    /// The job in some lines.
    static func lines(_ job: JobRecord, history: [JobEvent]) -> [String] {
        var pairs = [
            ("id", text(job.id)), ("app", job.app), ("to", target(job.target)), ("status", status(job)),
            ("taken in", TimeText.rfc3339(job.queued)), ("due", TimeText.rfc3339(job.due)),
        ]
        func add(_ name: String, _ value: String?) { if let value { pairs.append((name, value)) } }
        add("expires", job.expires.map(TimeText.rfc3339))
        add("finished", job.finished.map(TimeText.rfc3339))
        add("tries", String(job.attempts))
        add("lost workers", job.lostLeases > 0 ? String(job.lostLeases) : nil)
        add("priority", word(job.priority))
        add("delivery", job.policy == .atLeastOnce ? "at least once" : "at most once")
        add("worker", job.owner)
        add("dedupe key", job.dedupeKey)
        add("detail", job.outcome?.detail)
        add("put in again as", job.redrivenAs.map(text))
        add("payload", job.isErased ? "erased" : nil)
        let width = pairs.map(\.0.count).max() ?? 0
        let facts = pairs.map { "\($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
        guard !history.isEmpty else { return facts }
        return facts + ["history:"]
            + history.map { event in
                "  \(TimeText.rfc3339(event.time))  \(event.kind.name)\(event.detail.map { ": \($0)" } ?? "")"
            }
    }
}
