extension MockConsole {
    /// The names of the scenarios that need no file.
    public static var readyScenarios: [String] { ReadyScenarios.all.map(\.name) }

    /// Activates a ready scenario. It replaces the active one. `POST /v1/reset` returns to it.
    ///
    /// - Parameter name: One of ``readyScenarios``.
    /// - Throws: ``MockScenarioError`` if there is none with this name.
    public func play(_ name: String) throws(MockScenarioError) {
        do { try api.spaces.main.stage.play(try ReadyScenarios.named(name), isOfTheStart: true) } catch {
            throw MockScenarioError.from(error)
        }
    }

    /// Activates a scenario from a file. It replaces the active one. If it has a mistake, the old one stays active.
    /// `POST /v1/reset` returns to it.
    ///
    /// - Parameters:
    ///   - text: The content of the file, in YAML or JSON.
    ///   - name: The name of the scenario, if the text has none.
    /// - Throws: ``MockScenarioError``, with line and column.
    public func play(_ text: [UInt8], name: String) throws(MockScenarioError) {
        do {
            let scenario = try Scenario(try YAMLReader.read(text), name: name)
            try api.spaces.main.stage.play(scenario, isOfTheStart: true)
        } catch {
            throw MockScenarioError.from(error)
        }
    }
}
