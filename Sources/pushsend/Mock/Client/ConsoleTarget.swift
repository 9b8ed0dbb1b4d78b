import ArgumentParser

/// Which running mock a command talks to.
struct ConsoleTarget: ParsableArguments {
    @OptionGroup var state: StateFolderOption

    @Option(help: ArgumentHelp("The namespace of the mock. Default: the one from the start.", valueName: "name"))
    var namespace: String?

    /// The client for the API of the mock.
    func client() throws -> ConsoleClient {
        try ConsoleClient(stateFolder: try state.path, namespace: namespace)
    }
}
