internal import PushPlatform
internal import PushQueue

/// The message of a webhook.
enum WebhookEvent {
    /// The id of a message: the same in each repetition, so that a receiver can ignore those that it has.
    static func id(of job: QueueJobRecord) -> String { "msg_\(job.id.uuidString.lowercased())" }

    /// The body: the type, when it happened, and the job.
    static func body(of job: QueueJobRecord, json: [UInt8]) -> [UInt8] {
        let kind = job.outcome.map(\.kind.name) ?? "unknown"
        let time = (job.finished ?? job.queued).rfc3339
        return Array("{\"type\":\"notification.\(kind)\",\"timestamp\":\"\(time)\",\"data\":".utf8) + json
            + [UInt8(ascii: "}")]
    }
}
