internal import PushPlatform

// Descriptions for logs: a sentence, without the body of the answer.

extension PushOutcome: CustomStringConvertible {
    /// What happened and what to do, in a sentence or two.
    public var description: String {
        switch self {
        case .accepted(let acceptance): acceptance.description
        case .rejected(let rejection): rejection.description
        case .notSent(let notSent): "The notification wasn't sent: \(notSent.description)"
        case .unknown(let unknown): "The outcome of the notification is unknown: \(unknown.description)"
        case .invalid(let findings):
            "The notification isn't valid: \(findings.map(\.description).joined(separator: " "))"
        }
    }
}

extension PushOutcome.Acceptance: CustomStringConvertible {
    /// A sentence that APNs accepted the notification, with its ids.
    public var description: String {
        let ids = [
            apnsID.isEmpty ? nil : "apns-id \(PeerText.printable(apnsID))",
            uniqueID.map { "apns-unique-id \(PeerText.printable($0))" },
        ].compactMap(\.self)
        let named = ids.isEmpty ? "" : ": \(ids.joined(separator: ", "))"
        return "APNs accepted the notification\(named)."
    }
}

extension PushOutcome.Rejection: CustomStringConvertible {
    /// The status and the reason, their meaning, and what to do. It does not contain ``body``.
    public var description: String {
        let text = reason.map { PeerText.printable($0.rawValue) } ?? "no reason given"
        let explained = explanation.map { " \($0.meaning) \($0.advice)" } ?? ""
        return "APNs rejected the notification: \(status) \(text).\(explained)"
    }
}

extension PushOutcome.Trace: CustomStringConvertible {
    /// The times, the attempts and the connection, in one line.
    public var description: String {
        let times = "queued \(queued.millisecondsText), in flight \(inFlight.millisecondsText)"
        let way = connection.map { ", connection \($0)" } ?? ""
        return "\(times), \(counted(attempts, "attempt"))\(way)"
    }
}
