import PushProvider

/// What answers of both environments say about the environment of a device token.
enum TokenEnvironment: Equatable {
    /// The environment that knows the device token, for the topic or for another one, now or formerly.
    case known(PushEnvironment.AppleService)
    /// No environment knows it.
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

    /// The sentence for the user.
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
            The other environment was not tried, so the environment of the device token is not known. --yes tries it \
            without a question.
            """
        case .undecided: "The answer says nothing about the environment of the device token."
        }
    }
}

extension PushEnvironment.AppleService {
    /// Apple's other environment.
    var other: PushEnvironment.AppleService { self == .sandbox ? .production : .sandbox }
}
