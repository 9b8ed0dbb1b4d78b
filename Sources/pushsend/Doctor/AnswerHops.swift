import PushCommandLine
internal import PushJSON
import PushProvider

/// The hop about the credentials, from the answer to the test push. A pure table.
enum AnswerHops {
    /// - Parameters:
    ///   - outcome: The outcome of the test push.
    ///   - topic: The topic that it was sent to.
    ///   - isApple: Whether it was sent to Apple.
    /// - Returns: The hop.
    static func hop(_ outcome: PushOutcome, topic: String, isApple: Bool) -> Hop {
        hopWithoutTopic(outcome, topic, isApple).with("topic", .string(topic))
    }

    private static func hopWithoutTopic(_ outcome: PushOutcome, _ topic: String, _ isApple: Bool) -> Hop {
        switch outcome {
        case .accepted: accepted(isApple).with("status", 200)
        case .rejected(let rejection):
            rejected(rejection, topic).with("status", .integer(rejection.status))
                .with("reason", rejection.reason.map { .string($0.rawValue) })
        case .notSent(let notSent): self.notSent(notSent)
        case .unknown(let unknown):
            .notKnown(
                .credentials, "No answer: \(unknown.description)",
                remedy: "Try again later. A longer --timeout helps if the network is slow.", .tryAgain)
        case .invalid: .failed(.credentials, outcome.description, remedy: "Correct --topic.", .usage)
        }
    }

    private static func accepted(_ isApple: Bool) -> Hop {
        let fact = "Accepted, with a device token that doesn't exist."
        guard isApple else {
            return .note(
                .credentials, "\(fact) This server is a mock that accepts unknown tokens; Apple wouldn't.")
        }
        return .warning(
            .credentials, "\(fact) Apple's servers answer BadDeviceToken.",
            remedy: "Something answers instead of Apple, such as a mock behind Apple's name: check /etc/hosts and DNS."
        )
    }

    private static func rejected(_ rejection: PushOutcome.Rejection, _ topic: String) -> Hop {
        let reason = rejection.reason
        let answer = "\(rejection.status)\(reason.map { " \($0)" } ?? "")"
        let tested = TestedCredentials(rejection)
        let meaning = reason?.explanation.map { "\(answer): \($0.meaning)" } ?? "The server answered \(answer)."
        let advice = reason?.explanation?.advice
        switch tested {
        case .accepted: return .ok(.credentials, "Accepted. The made-up device token got \(answer).")
        case .refused: return .failed(.credentials, meaning, remedy: advice ?? tested.remedy, .credentials)
        case .topicRefused:
            let fact = "\(meaning) The topic was \(topic.printable)."
            return .failed(.credentials, fact, remedy: advice ?? tested.remedy, .credentials)
        case .later: return .notKnown(.credentials, meaning, remedy: tested.remedy, .tryAgain)
        case .otherServer: return .failed(.credentials, meaning, remedy: tested.remedy)
        case .nothing: return .notKnown(.credentials, meaning, remedy: advice ?? tested.remedy, .tryAgain)
        }
    }

    private static func notSent(_ notSent: PushOutcome.NotSent) -> Hop {
        let fact = NetworkHops.sentence(notSent.description)
        switch notSent.cause {
        case .credentials: return .failed(.credentials, fact, remedy: TestedCredentials.refused.remedy, .credentials)
        case .noConnection:
            return .failed(.credentials, fact, remedy: "The connection failed a moment ago: rerun doctor.")
        default: return .notKnown(.credentials, fact, remedy: "Try again later.", .tryAgain)
        }
    }

    // MARK: Without an answer

    /// The hop for a certificate that the server refused when the probe connected.
    static func refused(_ path: ProbedPath) -> Hop {
        let reason = path.goAway?.reason
        let fact = reason?.explanation?.meaning ?? path.failure?.description ?? "The server refused the certificate."
        return .failed(
            .credentials, "\(reason.map { "\($0): " } ?? "")\(NetworkHops.sentence(fact))",
            remedy: reason?.explanation?.advice
                ?? "Use a valid push certificate: \"pushsend inspect FILE\" shows what is in a file.", .credentials
        ).with("reason", reason.map { .string($0.rawValue) })
    }

    static let noSigner = Hop.skipped(
        .credentials, "No credentials were given.",
        remedy: "Give --key and --team-id, --p12 or --cert, and --topic to try them with a made-up device token.")
    static let noTopic = Hop.skipped(
        .credentials, "There is no topic.", remedy: "Give --topic, the app's bundle id, to try the credentials.")
}
