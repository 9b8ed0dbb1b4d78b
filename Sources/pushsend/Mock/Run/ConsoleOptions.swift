import ArgumentParser
import MockConsole
import PushCommandLine
import PushPlatform

/// The options of the mock's REST API.
struct ConsoleOptions: ParsableArguments {
    @Flag(name: .customLong("no-console"), help: "Don't serve the REST API.")
    var isOff = false

    @Option(
        help: ArgumentHelp(
            "Require the token in this file, or in PUSHSEND_MOCK_TOKEN, in every request to the API.",
            valueName: "file"), completion: .file())
    var accessTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Play a scenario: a YAML file, which is reloaded when it changes, or \(MockConsole.readyScenarios.joined(separator: ", ")).",
            valueName: "file|name"),
        completion: .file())
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Give the virtual phones apps, categories and extensions: a YAML or JSON file, which is reloaded when it changes.",
            valueName: "file"),
        completion: .file())
    var phones: String?

    func validate() throws {
        if phones != nil, isOff { throw ValidationError("--phones needs the API. Leave out --no-console.") }
        if scenario != nil, isOff { throw ValidationError("--scenario needs the API. Leave out --no-console.") }
    }

    /// Plays the scenario, and gives the phones what their file says.
    ///
    /// - Returns: The files, to be read again when they change. A ready scenario has none.
    func setUp(_ console: MockConsole) throws -> [SetupFile] {
        var files: [SetupFile] = []
        if let scenario, MockConsole.readyScenarios.contains(scenario) {
            try rethrowing(try console.play(scenario)) { (error: MockScenarioError) in
                SetupFile.failure(scenario, error.line, error.column, error.description)
            }
        } else if let scenario {
            files.append(.scenario(scenario, on: console))
        }
        if let phones { files.append(.phones(phones, on: console)) }
        for file in files { try file.load() }
        return files
    }

    /// The access token; `nil` if none is needed.
    func accessToken() throws -> String? {
        guard let file = accessTokenFile else {
            return try Fallback.mockToken.value.map { try Self.checked($0, from: Fallback.mockToken.variable) }
        }
        let bytes = try SettingsFile.read(
            // Without its name: it may be the token.
            file, "The file of --access-token-file doesn't exist or can't be read.")
        return try Self.checked(String(decoding: FileText.firstLine(bytes), as: UTF8.self), from: "\"\(file)\"")
    }

    private static func checked(_ token: String, from source: String) throws -> String {
        guard token.utf8.count >= 8, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFailure(
                .invalidInput, "The token in \(source) must have at least 8 characters, without spaces.")
        }
        return token
    }
}
