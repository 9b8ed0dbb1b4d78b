import PushDelivery
package import PushJSON
package import PushPlatform
package import PushQueue
import PushQueuePostgres
import PushTime

/// A job as the API shows it. The payload is not shown.
package enum JobAnswer {
    package static func value(_ job: QueueJobRecord, history: [QueueJobEvent]? = nil) -> PushJSONValue {
        let (target, name) = target(of: job)
        return .members([
            ("id", .string(text(job.id))), ("app", .string(job.app)), (target, name.map(PushJSONValue.string)),
            ("user", PushDetails.user(of: job.push).map(PushJSONValue.string)),
            ("state", .string(job.state.name)), ("outcome", job.outcome.map(outcome)),
            ("queued_at", time(job.queued)), ("deliver_at", time(job.due)), ("expires_at", job.expires.map(time)),
            ("finished_at", job.finished.map(time)), ("attempts", .integer(job.attempts)),
            ("queue_priority", .string(job.priority.name)), ("dedupe_key", job.dedupeKey.map(PushJSONValue.string)),
            ("campaign", job.campaign.map { .string(text($0)) }),
            ("line", job.line.map { .integer(QueueCampaignLine.line(ofKept: $0)) }),
            ("redriven_as", job.redrivenAs.map { .string(text($0)) }),
            ("trace_id", PushDetails.traceparent(in: job.push).map { .string($0.traceID) }),
            ("history", history.map { .array($0.map(event)) }),
        ])
    }

    /// A UUID in lower-case letters, as `apns-id` has it.
    package static func text(_ id: UUID) -> String {
        withUnsafeBytes(of: id.uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var end = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    (text[end], text[end + 1]) = (HexText.digit(byte >> 4), HexText.digit(byte & 15))
                    end += 2
                }
                return end
            }
        }
    }

    static func time(_ time: QueueTime) -> PushJSONValue { .string(time.rfc3339) }

    static func outcome(_ outcome: QueueJobOutcome) -> PushJSONValue {
        .members([
            ("kind", .string(outcome.kind.name)), ("reason", outcome.reason.map(PushJSONValue.string)),
            ("detail", outcome.detail.map(PushJSONValue.string)), ("status", outcome.status.map(PushJSONValue.integer)),
            ("apns_unique_id", outcome.uniqueID.map { .string(text($0)) }),
            ("gone_since", outcome.goneSince.map(time)),
        ])
    }

    private static func event(_ event: QueueJobEvent) -> PushJSONValue {
        .members([
            ("at", time(event.time)), ("event", .string(event.kind.name)),
            ("detail", event.detail.map(PushJSONValue.string)),
        ])
    }

    /// A row of an inbox that names no device has no token.
    private static func target(of job: QueueJobRecord) -> (String, String?) {
        switch job.target {
        case .device(let token): ("token", token == InboxOutcome.noToken ? nil : token)
        case .channel(let channel): ("channel", channel)
        }
    }
}

extension QueueTime {
    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-25T20:15:00.000Z`.
    package var rfc3339: String { RFC3339.text(millisecondsSince1970: milliseconds) }
}
