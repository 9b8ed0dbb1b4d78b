import ArgumentParser
import PushCommandLine

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration, the database, keys and certificates.",
        discussion: """
            Examples:
              pushserve check --config pushserve.yaml
              pushserve check --connect --json

            It prints a line for each thing: what it found, and what to do if that is wrong. With --connect it asks the server of each \
            app with a made-up device token, so nothing can be delivered, and looks up the hosts of webhooks.

            Exit codes, of the first failure: \(ExitStatus.success.code) none, \(ExitStatus.invalidInput.code), \(ExitStatus.cannotCreate.code), \
            \(ExitStatus.cannotWrite.code) or \(ExitStatus.tryAgain.code) the database, \(ExitStatus.noSuchFile.code) a file is missing, \
            \(ExitStatus.cannotConnect.code) a server can't be reached, \(ExitStatus.credentials.code) credentials, \
            \(ExitStatus.badConfiguration.code) a mistake in the configuration.
            """)

    @OptionGroup var configurationOption: ConfigurationOption

    @Flag(help: "Ask the server of each app whether it accepts the credentials.")
    var connect = false

    @Option(help: ArgumentHelp("The time limit of each step of --connect. Default: 10s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Print one JSON object for each finding.")
    var json = false

    func run() async throws {
        let configuration = try configurationOption.load(json: json)
        let run = CheckRun(
            configuration: configuration, connectTimeout: connect ? timeout?.duration ?? .seconds(10) : nil)
        let status = await run.run { finding in
            if json { Output.print(finding.line) } else { Output.print(finding.text) }
        }
        Output.exit(status)
    }
}
