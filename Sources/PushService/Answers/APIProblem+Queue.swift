internal import HTTPTypes
package import PushHTTP
package import PushQueue

extension QueueError: ProblemError {
    /// What a client learns of an error of the queue: nothing about files.
    package var problem: APIProblem {
        switch code {
        case .invalid: .invalid(description, code: "invalid_value")
        case .diskFull:
            .later(
                .serviceUnavailable, code: "disk_full", "The queue can't store anything: its disk is full.",
                afterSeconds: 30)
        case .sealed:
            .later(
                .serviceUnavailable, code: "queue_sealed",
                sealedQueue, afterSeconds: 30,
                remedy: """
                    The service's log tells you whether the queue can be used again. After an export that was imported \
                    elsewhere, use the service of that queue.
                    """)
        case .damaged, .foreign, .newerVersion, .notDurable, .unusable, .refused:
            // An operator must correct something. Until then, the queue takes nothing.
            .later(
                .serviceUnavailable, code: "queue_unavailable", "The queue can't be used at the moment.",
                afterSeconds: 30, remedy: "Send the request again later. The service's log tells you why.")
        case .defect:
            APIProblem(
                status: .internalServerError, code: "internal", detail: "The request couldn't be answered.",
                remedy: "The service's log tells you why.")
        default:
            .later(
                .serviceUnavailable, code: "queue_unavailable", "The queue can't be used at the moment.",
                afterSeconds: 2)
        }
    }
}

extension APIProblem {
    /// There is no notification with this id, or the key may not see it.
    static var noNotification: APIProblem { .notFound("There is no such notification.") }
}

/// What a client learns of a seal: nothing about files and addresses.
let sealedQueue =
    "The queue is sealed: it was exported, or an import into it isn't complete. It sends and accepts nothing."

extension DeadlinePassed: ProblemError {
    /// The queue, or what the answer needs, took too long.
    package var problem: APIProblem {
        .later(
            .serviceUnavailable, code: "too_slow",
            "The service couldn't answer in time: the queue is slow or has stalled. The request may still be carried out.",
            afterSeconds: 5, remedy: "Send it again later, with the same Idempotency-Key.")
    }
}

extension APIProblem {
    static var stopping: APIProblem { APIProblem(of: CancellationError(), in: "service") }

    /// Why no more lines of a request are taken, which its answer shows with those before; `nil` for an error that takes its place.
    init?(ofLines error: any Error) {
        switch error {
        case is APIProblem, is QueueError, is BrokenBody, is CancellationError: self.init(of: error, in: "service")
        default: return nil
        }
    }

    static var tooManyConnections: APIProblem {
        .later(
            .tooManyRequests, code: "too_many_connections", "This key has half of all connections already.",
            afterSeconds: 1, remedy: "Close connections that you don't use.")
    }

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
            case .id: ("id", "The id can't be used.")
            case .dedupeKey: ("dedupe_key", "The dedupe key is empty or too long.")
            }
        let isEarly = refusal == .expiresTooEarly
        return .impossible(
            detail, code: isEarly ? "expires_too_early" : "invalid_value", field: "\(pointer)/\(field)",
            remedy: isEarly ? "Let it expire after \"deliver_at\", or give a \"ttl\", which begins then." : nil)
    }
}
