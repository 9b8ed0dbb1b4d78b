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
}
