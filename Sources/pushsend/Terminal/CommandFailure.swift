import ArgumentParser
import MockAPNs
internal import PushCampaign
import PushProvider
internal import PushWire

/// The exit codes of commands. They are those of sysexits.h where one fits, and scripts can rely on them.
struct ExitStatus: Hashable, Comparable {
    let code: Int32
    /// The command uses the worst of several outcomes. A higher weight is worse.
    private let weight: Int

    static let accepted = ExitStatus(code: 0, weight: 0)
    static let rejected = ExitStatus(code: 1, weight: 1)
    static let usage = ExitStatus(code: 64, weight: 7)
    static let invalidInput = ExitStatus(code: 65, weight: 7)
    static let noSuchFile = ExitStatus(code: 66, weight: 7)
    static let cannotConnect = ExitStatus(code: 69, weight: 2)
    static let ourFault = ExitStatus(code: 70, weight: 7)
    static let cannotCreate = ExitStatus(code: 73, weight: 7)
    static let cannotWrite = ExitStatus(code: 74, weight: 7)
    static let notSent = ExitStatus(code: 75, weight: 3)
    static let unknown = ExitStatus(code: 76, weight: 4)
    static let credentials = ExitStatus(code: 77, weight: 5)
    static let badProfile = ExitStatus(code: 78, weight: 7)
    static let interrupted = ExitStatus(code: 130, weight: 6)

    /// The exit code of a command that pushsend ran.
    init(code: Int32) {
        self.init(code: code, weight: 7)
    }

    private init(code: Int32, weight: Int) {
        self.code = code
        self.weight = weight
    }

    static func < (left: ExitStatus, right: ExitStatus) -> Bool {
        left.weight < right.weight
    }
}

/// An error that ends a command early: a sentence for standard error and an exit code.
struct CommandFailure: Error {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        (self.status, self.message) = (status, message)
    }

    func printAndExit() -> Never {
        if !message.isEmpty { Output.complain(message) }
        Output.exit(status)
    }
}

extension CommandFailure {
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message)
    }

    /// Refuses the value of an option that cannot be a bundle id.
    static func requireBundleID(_ text: String, _ option: String) throws {
        guard let finding = BroadcastChecks.findings(bundleID: text).first else { return }
        throw usage("\(option): \(finding.problem) \(finding.advice)")
    }

    init(_ error: PushCredentialsError) {
        let status: ExitStatus =
            switch error.code {
            case .noSuchFile: .noSuchFile
            case .badKeyID, .badTeamID, .swappedIDs, .severalIdentities, .noSuchIdentity, .wrongEnvironment: .usage
            default: .credentials
            }
        self.init(status, error.description + Self.rightOption(error))
    }

    /// The option for a file that was given with another one.
    private static func rightOption(_ error: PushCredentialsError) -> String {
        if error.code == .swappedFiles { return " Here, the options are --cert and --cert-key." }
        return switch error.found {
        case .privateKey:
            " A .p8 belongs to --key; the key of a certificate belongs to --cert-key, together with --cert."
        case .pkcs12: " Give it with --p12."
        case .identity: " Give it with --cert."
        case .certificate, .certificateDER: " Give it with --cert, and its key with --cert-key."
        default: ""
        }
    }

    init(_ error: MockCredentialsError) {
        let status: ExitStatus =
            switch error.code {
            case .badName: .usage
            case .unusableFolder: .cannotCreate
            case .notSupplied: .noSuchFile
            case .busy: .notSent
            case .failed: .ourFault
            default: .credentials
            }
        self.init(status, error.description)
    }

    init(_ error: MockStartError) {
        let status: ExitStatus =
            switch error.code {
            case .unusableKey, .unusableCertificate: .credentials
            case .openProxy: .usage
            default: .cannotConnect
            }
        let flag =
            switch error.code {
            case .openProxy: " Leave out --proxy-others, or --listen."
            default: ""
            }
        self.init(status, error.description + flag)
    }

    init(_ error: BatchFolderError) {
        let status: ExitStatus =
            switch error.code {
            case .busy: .notSent
            case .unusable: .cannotCreate
            case .unwritable: .cannotWrite
            default: .invalidInput
            }
        let flags = error.remedies.map { remedy in
            switch remedy {
            case .anotherFolder: " To use another folder, give --out."
            case .startAnew: " To start from the beginning, give --restart."
            }
        }
        self.init(status, error.description + flags.joined())
    }

    init(_ error: BatchInputError) {
        let status: ExitStatus =
            switch error.code {
            case .noSuchFile: .noSuchFile
            case .noPayload: .usage
            default: .invalidInput
            }
        let flags =
            switch error.code {
            case .noPayload: " Use -m, --payload or --template."
            case .noTokenColumn: " Use --token-column."
            case .misspeltPlaceholder: " If you mean it, give --no-lint."
            case .compressed: " Pipe it in: gunzip -c FILE | pushsend batch -."
            default: ""
            }
        self.init(status, error.description + flags)
    }

    /// Converts any error.
    static func from(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as PushCredentialsError: CommandFailure(error)
        case let error as PushConfigurationError: usage(error.description)
        case let error as BatchFolderError: CommandFailure(error)
        case let error as BatchInputError: CommandFailure(error)
        case let error as MockCredentialsError: CommandFailure(error)
        case let error as MockStartError: CommandFailure(error)
        default: CommandFailure(.ourFault, "Internal error: \(error).")
        }
    }
}
