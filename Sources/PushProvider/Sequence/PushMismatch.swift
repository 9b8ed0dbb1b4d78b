/// A sequence was stopped because almost all answers said that the device tokens do not fit what they were sent with: see
/// ``MismatchBreaker``.
///
/// ``PushOutcomes`` throws it at the end, when every notification that was read has had its outcome. Those that were still
/// queued are not sent, with the cause ``NotSent/Cause/mismatch``; the rest was never read.
public struct PushMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// What most of them said, `BadDeviceToken` for example.
    public let reason: RejectionReason
    /// How many of the last answers were of that kind.
    public let mismatches: Int
    /// How many answers were looked at.
    public let answers: Int
    /// What is probably wrong, and what to do.
    public let description: String

    /// The topic is that of one that was rejected, for a verdict that knows of none.
    init(_ verdict: MismatchWatch.Verdict, topic: String?, environment: PushEnvironment) {
        reason = verdict.reason
        mismatches = verdict.mismatches
        answers = verdict.answers
        let words = """
            \(verdict.mismatches) of the last \(verdict.answers) answers said that device token and setup do not fit, \
            most of them \(PeerText.printable(verdict.reason.rawValue)).
            """
        let advice = """
            Nothing more was read, and what was queued was not sent. Keep the device tokens: they may all be good. \
            Correct the setup, and send again what was rejected and what was not sent.
            """
        description = "\(words) \(Self.cause(verdict.reason, verdict.topic ?? topic, environment)) \(advice)"
    }

    /// Of a notification that was not sent because of it.
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
                The tokens are probably of another app than the topic \(topic), or of another kind of push than its \
                suffix says.
                """
        case .badDeviceToken: break
        default:
            return """
                The requests themselves are refused, whatever the device token: check the headers and the payload, and that it \
                is APNs that answers at \(environment).
                """
        }
        switch environment.appleService {
        case .sandbox:
            return """
                They went to the sandbox, and the tokens are probably of apps from TestFlight, ad hoc builds or the App \
                Store, which need production.
                """
        case .production:
            return """
                They went to production, and the tokens are probably of apps that Xcode has put on the device, which \
                need the sandbox.
                """
        default:
            return """
                The tokens are probably of another environment than \(environment) serves: those of the sandbox are \
                none in production, and the other way round.
                """
        }
    }
}
