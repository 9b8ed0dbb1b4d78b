import ArgumentParser
import MockAPNs
internal import PushCampaign
import PushCommandLine
import PushProvider
internal import PushWire

/// What ends a command of pushsend early.
extension CommandFailure {
    func printAndExit() -> Never {
        if !message.isEmpty { Output.complain(message) }
        Output.exit(status)
    }

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
            case .busy: .tryAgain
            case .failed: .ourFault
            default: .credentials
            }
        self.init(status, error.description)
    }

    init(_ error: MockStartError) {
        let (status, flag): (ExitStatus, String) =
            switch error.code {
            case .unusableKey, .unusableCertificate: (.credentials, "")
            case .openProxy: (.usage, " Leave out --proxy-others, or --listen.")
            default: (.cannotConnect, "")
            }
        self.init(status, error.description + flag)
    }

    init(_ error: BatchFolderError) {
        let status: ExitStatus =
            switch error.code {
            case .busy: .tryAgain
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
        let (status, flags): (ExitStatus, String) =
            switch error.code {
            case .noSuchFile: (.noSuchFile, "")
            case .noPayload: (.usage, " Use -m, --payload or --template.")
            case .noTokenColumn: (.invalidInput, " Use --token-column.")
            case .misspeltPlaceholder: (.invalidInput, " If you mean it, give --no-lint.")
            case .compressed: (.invalidInput, " Pipe it in: gunzip -c FILE | pushsend batch -.")
            default: (.invalidInput, "")
            }
        self.init(status, error.description + flags)
    }

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
