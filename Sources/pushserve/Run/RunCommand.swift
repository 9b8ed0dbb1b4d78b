import ArgumentParser
import PushCommandLine
import PushJSON
import PushPlatform
import PushService

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the service.",
        discussion: """
            Example of a configuration, pushserve.yaml:
              listen: 127.0.0.1:8080
              database: pushserve.sqlite
              apps:
                shop:
                  environment: production
                  key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}
                  topic: com.example.shop

            Then:
              pushserve check --config pushserve.yaml
              pushserve key create --app shop --scope send,read --config pushserve.yaml
              pushserve run --config pushserve.yaml

            Without a file, the environment can describe one app: PUSHSERVE_APP is its name, and PUSHSERVE_ENVIRONMENT, \
            PUSHSERVE_KEY, PUSHSERVE_KEY_ID, PUSHSERVE_TEAM_ID and PUSHSERVE_TOPIC are its settings.

            SIGTERM and Ctrl-C end the service. The first signal waits for requests in flight; the second stops it immediately. \
            SIGHUP reloads the configuration. The log is on standard error.
            """)

    @OptionGroup var configurationOption: ConfigurationOption

    @Flag(help: "Print one JSON object when the service accepts requests.")
    var json = false

    func run() async throws {
        SystemLimit.openFiles.raise()
        try PushService.requireFiles()
        let option = configurationOption.config
        let configuration = try configurationOption.load()
        let printsJSON = json
        try await ServiceRun(
            configuration,
            reload: { () throws(CommandFailure) in try ServiceConfiguration.load(option: option) },
            ready: { address, metrics in Self.announce(address, metrics, configuration, json: printsJSON) }
        ).run()
    }

    private static func announce(
        _ address: ListenAddress, _ metrics: ListenAddress?, _ configuration: ServiceConfiguration, json: Bool
    ) {
        let scheme = configuration.tls == nil ? "http" : "https"
        guard json else { return Output.print("The service accepts requests on \(scheme)://\(address).") }
        Output.print([
            "event": "ready", "listen": .string(address.description), "url": .string("\(scheme)://\(address)"),
            "port": .integer(address.port), "metrics": metrics.map { .string($0.description) },
            "database": .string(configuration.database.description), "process_id": .integer(Int(getpid())),
        ])
    }
}
