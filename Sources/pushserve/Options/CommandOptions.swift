import ArgumentParser
import PushCommandLine
import PushTime

/// The configuration of a command that needs all of it.
struct ConfigurationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file. Default: PUSHSERVE_CONFIG, pushserve.yaml, or /etc/pushserve/pushserve.yaml.",
            valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// Reads the configuration.
    ///
    /// - Throws: ``CommandFailure`` with every mistake.
    func load() throws -> ServiceConfiguration {
        try ServiceConfiguration.load(option: config)
    }
}

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument), duration > .zero else { return nil }
        self.duration = duration
    }
}

/// How long a push may wait: what the service takes as `ttl`.
struct LifetimeArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument, isWhole: true), duration > .zero else { return nil }
        self.duration = duration
    }
}
