import ArgumentParser
import PushCommandLine
import PushProvider

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything between here and Apple: libraries, credentials, network.",
        discussion: """
            Example:
              pushsend doctor --topic com.example.app \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            Without credentials, it checks the libraries and the network:
              pushsend doctor

            It prints a line for each hop: what it found, and what to do if that is wrong. It tries the credentials with \
            a made-up device token, so nothing can be delivered.

            Exit codes, of the worst hop: \(ExitStatus.success.code) no problems, \(ExitStatus.rejected.code) a warning, \
            \(ExitStatus.cannotConnect.code) can't connect, \(ExitStatus.tryAgain.code) the server gave no answer about the \
            credentials, \(ExitStatus.credentials.code) credentials refused or unreadable, \
            \(ExitStatus.noSuchFile.code) no such file.
            """)

    @OptionGroup var profileOption: ProfileOption
    @OptionGroup(title: "Credentials: a key") var signerOptions: SignerOptions
    @OptionGroup(title: "Credentials: a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Server") var targetOptions: TargetOptions

    @Option(
        help: ArgumentHelp(
            "The app's bundle id. Default: PUSHSEND_TOPIC, that of the profile, or that of the certificate.",
            valueName: "bundle-id"))
    var topic: String?

    @Option(
        help: ArgumentHelp("The time limit of each hop, such as 10s or 500ms. Default: 10s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Check only this machine: libraries, trust store, key or certificate.")
    var offline = false

    @Flag(help: "Try each address of the server, not only the first that answers.")
    var allAddresses = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(name: [.short, .long], help: "Show what happens on the connection.")
    var verbose = false

    func validate() throws {
        if offline && allAddresses {
            throw ValidationError(notTogether("--offline", "--all-addresses"))
        }
        if let timeout, timeout.duration <= .zero {
            throw ValidationError("--timeout must be longer than zero.")
        }
    }

    func run() async throws {
        let report = DoctorReport(
            colours: Output.resultsHaveColours, width: TerminalLines.terminal.map { min(120, max(40, $0)) })
        let isText = !json
        let diagnosis = try await DoctorRun(self).run(
            begun: { if isText { _ = Output.offer(DoctorReport.title($0)) } },
            found: { hop in if isText { _ = Output.offer(painted: report.text(hop)) } })
        if json {
            Output.print(DoctorReport.line(diagnosis).text)
        } else {
            _ = Output.offer(painted: report.text(diagnosis.conclusion))
        }
        Output.exit(diagnosis.status)
    }
}
