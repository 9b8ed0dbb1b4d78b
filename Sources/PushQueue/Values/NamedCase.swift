/// A value that the API, the metrics, the commands and the configuration show by its name.
package protocol NamedCase: CaseIterable {
    /// The name, such as `not_sent`.
    var name: String { get }
}

extension NamedCase {
    /// The names of all values.
    package static var names: [String] { allCases.map(\.name) }

    /// Creates the value that has a name; `nil` if no value has it.
    package init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }
}
