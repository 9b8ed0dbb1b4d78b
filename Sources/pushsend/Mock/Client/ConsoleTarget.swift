import ArgumentParser
import PushPlatform

/// Which running mock a command talks to.
struct ConsoleTarget: ParsableArguments {
    @OptionGroup var state: StateFolderOption

    @Option(
        help: ArgumentHelp(
            "The address of the mock's API, as in http://mock:2198. Default: MOCK_URL, or the mock of the state folder.",
            valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The namespace of the mock. Default: the one from the start.", valueName: "name"))
    var namespace: String?

    /// The client for the API of the mock. `--url` comes first, then `--state`, then MOCK_URL, then the usual state folder.
    func client() throws -> ConsoleClient {
        if let url { return try ConsoleClient(url: url, from: "--url", namespace: namespace) }
        let variable = ProcessInfo.processInfo.environment["MOCK_URL"] ?? ""
        if state.folder == nil, !variable.isEmpty {
            return try ConsoleClient(url: variable, from: "MOCK_URL", namespace: namespace)
        }
        return try ConsoleClient(stateFolder: try state.path, namespace: namespace)
    }
}
