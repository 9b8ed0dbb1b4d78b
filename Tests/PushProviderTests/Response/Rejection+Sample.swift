@testable import PushProvider

extension Rejection {
    static func sample(_ status: Int, _ reason: RejectionReason? = nil) -> Rejection {
        Rejection(status: status, reason: reason, apnsID: "A1", body: [], trace: .sample)
    }
}
