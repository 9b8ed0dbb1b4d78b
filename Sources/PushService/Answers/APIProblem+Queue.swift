internal import HTTPTypes
import PushQueue

extension APIProblem {
    /// What a client learns of an error of the queue: nothing about files.
    init(_ error: QueueError) {
        switch error.code {
        case .invalid: self = .invalid(error.description, code: "invalid_value")
        case .diskFull:
            self = .later(
                .serviceUnavailable, code: "disk_full", "The queue cannot store anything: its disk is full.",
                afterSeconds: 30)
        case .damaged, .foreign, .newerVersion, .notDurable, .unusable, .refused:
            // An operator must correct something. Until then, the queue takes nothing.
            self = .later(
                .serviceUnavailable, code: "queue_unavailable", "The queue cannot be used at the moment.",
                afterSeconds: 30, remedy: "Send the request again later. The log of the service says why.")
        case .defect:
            self.init(
                status: .internalServerError, code: "internal", detail: "The request could not be answered.",
                remedy: "The log of the service says why.")
        default:
            self = .later(
                .serviceUnavailable, code: "queue_unavailable", "The queue cannot be used at the moment.",
                afterSeconds: 2)
        }
    }

    /// What the queue refuses.
    static func refused(_ refusal: EnqueueResult.Refusal, pointer: String) -> APIProblem {
        let (field, detail): (String, String) =
            switch refusal {
            case .expiresTooEarly:
                ("expires_at", "The push has already expired, or would expire before its delivery time.")
            case .timeOutOfRange: ("deliver_at", "A time is out of range.")
            case .target: ("token", "The target is empty or too long.")
            case .payload: ("payload", "The payload is empty or too long.")
            case .variables: ("vars", "The values are too long.")
            case .push: ("topic", "The topic and the other details are too long.")
            case .dedupeKey: ("dedupe_key", "The dedupe key is empty or too long.")
            }
        let isEarly = refusal == .expiresTooEarly
        return .impossible(
            detail, code: isEarly ? "expires_too_early" : "invalid_value", field: "\(pointer)/\(field)",
            remedy: isEarly ? "Let it expire after \"deliver_at\", or give a \"ttl\", which begins then." : nil)
    }
}
