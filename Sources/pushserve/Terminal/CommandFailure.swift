import PushCommandLine
import PushPlatform
import PushProvider
import PushQueue
import PushService

/// What ends a command of pushserve early.
extension CommandFailure {
    func printAndExit() -> Never {
        for message in messages where !message.isEmpty { Output.complain(message) }
        Output.exit(status)
    }

    static func from(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as QueueError: CommandFailure(error)
        case let error as PushCredentialsError: CommandFailure(error)
        case let error as PushConfigurationError:
            CommandFailure(.badConfiguration, error.description)
        case let error as ServiceStartError: CommandFailure(error)
        default: CommandFailure(.ourFault, "Internal error: \(error).")
        }
    }

    init(_ error: QueueError) {
        let status: ExitStatus =
            switch error.code {
            case .foreign, .newerVersion, .damaged: .invalidInput
            case .unusable, .unwritable, .notDurable, .sealed: .cannotCreate
            case .diskFull, .inputOutput: .cannotWrite
            case .missing: .noSuchFile
            case .busy, .conflict: .tryAgain
            case .unreachable, .refused: .cannotConnect
            case .invalid: .usage
            default: .ourFault
            }
        self.init(status, error.description)
    }

    init(_ error: PushCredentialsError) {
        self.init(error.code == .noSuchFile ? .noSuchFile : .credentials, error.description)
    }

    init(_ error: ServiceStartError) {
        self.init(error.code == .unusableTLS ? .credentials : .cannotConnect, error.description)
    }
}
