package import PushProvider

extension PushTrace {
    package static let sample = PushTrace(
        queued: .milliseconds(1), inFlight: .milliseconds(2), attempts: 1, connection: 3)
}

extension PushRejection {
    package static func sample(_ status: Int, _ reason: RejectionReason? = nil) -> PushRejection {
        PushRejection(status: status, reason: reason, apnsID: "A1", trace: .sample)
    }
}
