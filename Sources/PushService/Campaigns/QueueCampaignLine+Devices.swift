import PushDelivery
import PushQueue

extension QueueCampaignLine {
    /// The device tokens of the line, as far as they are known; none if it was refused.
    var tokens: [String] {
        guard case .job(let job) = content else { return [] }
        return ([job] + others).compactMap { job in
            if case .device(let token) = job.target, !token.isEmpty { token } else { nil }
        }
    }

    /// The user to whose devices the line goes, before it has them; `nil` for a line to a token.
    var user: Entry.User? {
        guard case .job(let job) = content, job.target == .device(""), let details = PushDetails(encoded: job.push)
        else { return nil }
        return details.user.map { Entry.User($0, of: job, details, field: "user") }
    }

    static let goneCode = "token_gone"
    static let noDeviceCode = "no_device"

    /// Whether the line was refused because its device token is gone, or its user has none.
    var isGone: Bool {
        guard case .refused(let refusal) = content else { return false }
        return [Self.goneCode, Self.noDeviceCode].contains(refusal.code)
    }

    func isRegistered(after time: QueueTime) -> Bool {
        guard case .job(let job) = content, let date = PushDetails(encoded: job.push)?.registeredAt else {
            return false
        }
        return QueueTime(date) > time
    }
}
