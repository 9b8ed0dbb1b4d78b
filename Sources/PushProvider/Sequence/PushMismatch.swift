/// The error when a sequence was stopped because almost all answers say that the device tokens do not match the setup: see
/// ``PushConfiguration/MismatchBreaker``.
///
/// ``PushOutcomes`` throws it at the end, when every notification that was read has its outcome. Notifications that
/// were still in the queue have the outcome `notSent` with the cause ``PushOutcome/Cause/mismatch``. The others were not
/// read.
public struct PushMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// The most frequent reason, for example `BadDeviceToken`.
    public let reason: RejectionReason
    /// How many of the last answers say that device token and setup do not match.
    public let mismatches: Int
    /// How many answers were checked.
    public let answers: Int
    /// What is probably wrong and what to do.
    public let description: String

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - result: The counts.
    ///   - topic: The topic of a rejected notification, for a result without one.
    ///   - environment: The environment of the client.
    init(_ result: MismatchWatch.Result, topic: String?, environment: PushEnvironment) {
        reason = result.reason
        mismatches = result.mismatches
        answers = result.answers
        let message = """
            \(result.mismatches) of the last \(result.answers) answers say that device token and setup don't match, \
            most of them \(PeerText.printable(result.reason.rawValue)).
            """
        let advice = """
            Nothing more was read, and the queued notifications weren't sent. Keep the device tokens: they may all be \
            valid. Correct the setup. Then resend the notifications that were rejected or not sent.
            """
        description = "\(message) \(Self.cause(result.reason, result.topic ?? topic, environment)) \(advice)"
    }

    /// The description for a notification that was not sent because of this error.
    var ofOneNotSent: String {
        """
        its sequence was stopped, because \(mismatches) of \(answers) answers were rejections like \
        \(PeerText.printable(reason.rawValue)).
        """
    }

    private static func cause(_ reason: RejectionReason, _ topic: String?, _ environment: PushEnvironment) -> String {
        let topic = PeerText.printable(topic ?? "")
        switch reason {
        case .deviceTokenNotForTopic:
            return """
                The device tokens are probably from another app than the topic \(topic), or for another push type than \
                its suffix.
                """
        case .badDeviceToken: break
        default:
            return """
                The requests themselves are refused, with any device token. Check the headers and the payload, and \
                check that the server at \(environment) is APNs.
                """
        }
        switch environment.appleService {
        case .sandbox:
            return """
                They were sent to the sandbox. The device tokens are probably from apps from TestFlight, ad hoc builds \
                or the App Store, which need production.
                """
        case .production:
            return """
                They were sent to production. The device tokens are probably from apps that Xcode has installed, which \
                need the sandbox.
                """
        default:
            return """
                The device tokens are probably for another environment than \(environment). A device token of the \
                sandbox isn't valid in production, and the reverse.
                """
        }
    }
}
