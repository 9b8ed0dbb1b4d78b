import ArgumentParser

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
