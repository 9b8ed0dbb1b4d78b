import APNSVocabulary
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue

struct JobDetail {
    private let job: QueueJobRecord
    private let content: QueueJobContent?
    private let history: [QueueJobEvent]
    private let showsPayload: Bool
    private let alert: PushJSONValue?
    private let webhook: PushJSONValue?

    init(
        _ job: QueueJobRecord, _ content: QueueJobContent?, history: [QueueJobEvent], showsPayload: Bool = true,
        alert: PushJSONValue? = nil, webhook: PushJSONValue? = nil
    ) {
        // Of what an inbox refused, only the token is kept.
        let wasRefused = job.attempts == 0 && PushDetails(encoded: job.push)?.inbox != nil
        (self.job, self.history) = (job, history)
        self.content = wasRefused && content?.payload == Array("{}".utf8) ? nil : content
        (self.showsPayload, self.alert, self.webhook) = (showsPayload, alert, webhook)
    }

    /// The payload is byte for byte the stored one.
    func bytes(withHistory: Bool) -> [UInt8] {
        let value = JobAnswer.value(job, history: withHistory ? history : nil).adding(
            Dictionary(members.compactMap { name, value in value.map { (name, $0) } }) { first, _ in first })
        guard showsPayload, let payload = content?.payload else { return value.encoded }
        var bytes = Array(value.encoded.dropLast())
        for (name, json) in [("payload", payload), ("vars", content?.variables)] {
            guard let json else { continue }
            let isJSON = (try? JSONReader.tree(json)) != nil
            bytes += Array(",\"\(name)\":".utf8)
            bytes += isJSON ? json : PushJSONValue.string(String(decoding: json, as: UTF8.self)).encoded
        }
        return bytes + [UInt8(ascii: "}")]
    }

    private var members: [(String, PushJSONValue?)] {
        let details = PushDetails(encoded: job.push)
        return [
            ("topic", (details?.topic ?? details?.defaultTopic).map(PushJSONValue.string)),
            ("push_type", details?.pushType.map { .string($0.rawValue) }),
            ("priority", details?.priority.map { .integer($0.rawValue) }),
            ("collapse_id", details?.collapseID.map(PushJSONValue.string)),
            ("once", details?.once == true ? .bool(true) : nil),
            ("alert", showsPayload ? alert : nil), ("payload_state", .string(payloadState)),
            ("claimed_by", job.owner.map(PushJSONValue.string)),
            ("lost_workers", job.lostLeases > 0 ? .integer(job.lostLeases) : nil),
            ("started_at", job.started.map(JobAnswer.time)), ("tries", .array(tries)), ("webhook", webhook),
        ]
    }

    private var payloadState: String {
        if content?.payload == nil { return "erased" }
        return showsPayload ? "shown" : "withheld"
    }

    private static let maximumEvents = 20

    /// The tries that the history has. A try is known by its end; only the last one also by its beginning.
    private var tries: [PushJSONValue] {
        var (tries, began): ([PushJSONValue], QueueTime?) = ([], nil)
        func end(_ result: String, _ detail: String?, at time: QueueTime?) {
            tries.append(
                .members([
                    ("started_at", began.map(JobAnswer.time)), ("ended", time.map(JobAnswer.time) ?? .null),
                    ("result", .string(result)), ("detail", detail.map(PushJSONValue.string)),
                    ("worker", time == nil ? job.owner.map(PushJSONValue.string) : nil),
                ]))
            began = nil
        }
        for event in history {
            switch event.kind {
            case .started: began = event.time
            case .retried: end("retried", event.detail, at: event.time)
            case .leaseLost: end("worker_lost", event.detail, at: event.time)
            // Its beginning may stand before the end of an earlier try, in the same millisecond.
            case .finished where began != nil || tries.count < min(job.attempts, Self.maximumEvents):
                end(job.outcome?.kind.name ?? "unknown", event.detail, at: event.time)
            default: break
            }
        }
        if began != nil, job.state == .started { end("running", nil, at: nil) }
        return tries
    }
}
