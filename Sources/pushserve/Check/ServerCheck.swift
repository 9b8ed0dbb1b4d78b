import Logging
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider

/// Asks the server of an app about its credentials, with a push to a device token that does not exist.
struct ServerCheck {
    let settings: AppSettings
    let credentials: PushCredentials
    /// The time limit of each step.
    let timeout: Duration

    func run() async -> Finding {
        let app = settings.name
        guard let topic = settings.topic ?? credentials.certificate?.topic(for: .background) else {
            return Finding(
                check: "server", app: app, result: .skipped, fact: "Without a topic, the credentials can't be tried.",
                remedy: "Set \"topic\".")
        }
        do {
            if let failure = try await unreachable() { return failure }
            let outcome = try await TestPush.outcome(
                topic: topic, settings.environment, credentials, settings.client, timeout: timeout,
                logger: Logger(label: "check") { _ in SwiftLogNoOpLogHandler() })
            return finding(outcome, topic)
        } catch {
            return .failed(
                "server", app: app, CommandFailure.from(error).message, .badConfiguration)
        }
    }

    /// Tests only the connection to the server; `nil` if it works.
    private func unreachable() async throws -> Finding? {
        let report = try await ServerProbe(
            settings.environment, credentials: credentials, proxy: settings.client.proxy, timeout: timeout,
            triesAll: false
        ).run()
        guard !report.paths.contains(where: { $0.failure == nil }),
            let failure = report.names.failure ?? report.paths.compactMap(\.failure).first
        else { return nil }
        return .failed(
            "server", app: settings.name, "\(settings.environment) can't be reached: \(failure.description)",
            remedy: "Run \"pushsend doctor\" to find the cause.",
            failure.kind == .ownCertificate ? .credentials : .cannotConnect)
    }

    // MARK: Result

    private func finding(_ outcome: PushOutcome, _ topic: String) -> Finding {
        let app = settings.name
        let server = settings.environment.description
        switch outcome {
        case .accepted:
            return .ok("server", app: app, "\(server) accepts the credentials.")
        case .rejected(let rejection): return self.rejected(rejection, server, topic)
        case .notSent(let notSent):
            let status: ExitStatus =
                switch notSent.cause {
                case .credentials: .credentials
                case .noConnection: .cannotConnect
                default: .tryAgain
                }
            return .failed(
                "server", app: app, "\(server) wasn't asked: \(notSent.description)",
                remedy: "Run \"pushsend doctor\" to find the cause.", status)
        case .unknown(let unknown):
            return .failed(
                "server", app: app, "\(server) gave no answer: \(unknown.description)", remedy: "Try again later.",
                .tryAgain)
        case .invalid: return .failed("server", app: app, outcome.description, .badConfiguration)
        }
    }

    func rejected(_ rejection: PushOutcome.Rejection, _ server: String, _ topic: String) -> Finding {
        let app = settings.name
        let reason = rejection.reason
        let tested = TestedCredentials(rejection)
        let answer = "\(rejection.status)\(reason.map { " \($0)" } ?? "")"
        let meaning = reason?.explanation.map { "\(answer): \($0.meaning)" } ?? "The answer was \(answer)."
        let (fact, status): (String, ExitStatus) =
            switch tested {
            case .accepted: ("\(server) accepts the credentials.", .success)
            case .refused: ("\(server) refuses the credentials. \(meaning)", .credentials)
            case .topicRefused:
                ("\(server) refuses the topic \(topic.printable) with these credentials. \(meaning)", .credentials)
            case .later:
                ("\(server) doesn't accept pushes now, so the credentials weren't tried. \(meaning)", .tryAgain)
            case .otherServer: ("\(server) doesn't answer as APNs does. \(meaning)", .badConfiguration)
            case .nothing: ("\(server) refuses the test push, but not for its credentials. \(meaning)", .tryAgain)
            }
        if tested == .accepted { return .ok("server", app: app, fact) }
        let advice = tested == .later || tested == .otherServer ? nil : reason?.explanation?.advice
        return .failed("server", app: app, fact, remedy: advice ?? tested.remedy, status)
    }
}
