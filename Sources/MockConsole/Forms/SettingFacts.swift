package import MockAPNs

/// What is known about APNs where a setting changes the mock, and how certain it is.
package enum SettingFacts {
    /// The facts by the name of the setting in JSON.
    package static let all: [String: MockFact] = Dictionary(
        uniqueKeysWithValues: SettingsForm.facts.map { name, known in
            let id = "setting-\(name.replacing("_", with: "-"))"
            return (name, MockFact(id: id, known.statement, known.confidence))
        })
}
