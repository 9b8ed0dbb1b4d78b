import NIOCore
import PushCommandLine
import PushProvider

/// Finds out to which environment a device token belongs: sends the push to one environment, and to the other one if
/// the first does not know the token.
struct EnvironmentTrial {
    let notification: PushNotification
    let target: Target
    let signer: Signer
    let how: RunOptions
    let threads: any EventLoopGroup

    init(
        _ notification: PushNotification, _ target: Target, _ signer: Signer, _ how: RunOptions,
        on threads: any EventLoopGroup
    ) throws {
        guard target.isApple else {
            throw CommandFailure.usage(
                "--try-other-environment is for Apple's servers: leave out --mock and --endpoint.")
        }
        if case .identity(let identity, _) = signer, identity.certificate.services.count == 1 {
            throw CommandFailure.usage(
                "The certificate is for one environment only, so the other one can't be tried. Use a key (.p8).")
        }
        self.notification = notification
        self.target = target
        self.signer = signer
        self.how = how
        self.threads = threads
    }

    func run() async throws -> Never {
        let first = target.environment.appleService ?? .sandbox
        let second = first.other
        var (status, result) = try await send(to: target, first, isSecond: false)
        if result == .tryOther, try mayTry(second) {
            (status, result) = try await send(to: other(second), second, isSecond: true)
            Output.note(result.sentence(wasGuessed: true))
        } else {
            Output.note(result.sentence(wasGuessed: false))
        }
        Output.exit(status)
    }

    private func other(_ service: PushEnvironment.AppleService) -> Target {
        var target = target
        let old = target.environment
        target.environment = service == .production ? .production : .sandbox
        target.environment.trust = old.trust
        target.environment.port = old.port
        return target
    }

    /// The push may really be delivered, so the user is asked.
    private func mayTry(_ service: PushEnvironment.AppleService) throws -> Bool {
        guard !how.yes else { return true }
        guard Prompt.isPossible else { return false }
        let hint =
            "The device token is unknown there. If it belongs to \(service.rawValue), the push will be delivered."
        return try Prompt.agrees("Send it to \(service.rawValue)?", hint: hint)
    }

    private func send(
        to target: Target, _ service: PushEnvironment.AppleService, isSecond: Bool
    ) async throws -> (ExitStatus, TokenEnvironment) {
        let report = SendReport(
            json: how.json, isOne: true, explainsAll: false, host: target.environment.host,
            environment: service.rawValue)
        let sender = try PushSender(target, signer, report, how, on: threads)
        let ((outcome, status), interrupted) = await Interrupt.cancelling { await sender.sendOne(notification) }
        await sender.client.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        if interrupted { Output.exit(.interrupted) }
        if case .invalid = outcome { Output.exit(status) }
        return (status, TokenEnvironment(outcome, in: service, isSecond: isSecond))
    }
}

/// What answers of both environments say about the environment of a device token.
enum TokenEnvironment: Equatable {
    /// The environment that knows the device token, for the topic or for another one, now or formerly.
    case known(PushEnvironment.AppleService)
    case unknownToBoth
    /// The first environment does not know it, so the other one is to be tried.
    case tryOther
    /// The answer says nothing about the device token.
    case undecided

    /// - Parameters:
    ///   - outcome: The outcome in an environment.
    ///   - service: That environment.
    ///   - isSecond: Whether the other one has answered BadDeviceToken.
    init(_ outcome: PushOutcome, in service: PushEnvironment.AppleService, isSecond: Bool) {
        switch outcome {
        case .accepted: self = .known(service)
        case .rejected(let rejection):
            switch rejection.reason {
            case .badDeviceToken: self = isSecond ? .unknownToBoth : .tryOther
            case .deviceTokenNotForTopic, .unregistered, .expiredToken: self = .known(service)
            default: self = .undecided
            }
        case .notSent, .unknown, .invalid: self = .undecided
        }
    }

    func sentence(wasGuessed: Bool) -> String {
        switch self {
        case .known(let service) where wasGuessed:
            """
            The device token belongs to \(service.rawValue), not to \(service.other.rawValue): use -e \(service.rawValue).
            """
        case .known(let service): "The device token belongs to \(service.rawValue)."
        case .unknownToBoth:
            """
            Neither environment knows the device token. It is incomplete, or it is from an app of another team, or from an \
            app that was deleted long ago.
            """
        case .tryOther:
            """
            The other environment wasn't tried, so the environment of the device token is unknown. --yes tries it \
            without asking.
            """
        case .undecided: "The answer tells you nothing about the environment of the device token."
        }
    }
}

extension PushEnvironment.AppleService {
    var other: PushEnvironment.AppleService { self == .sandbox ? .production : .sandbox }
}
