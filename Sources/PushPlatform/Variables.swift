/// Environment variables, read one by one: a dictionary of all of them takes time at each start.
package struct Variables: ExpressibleByDictionaryLiteral, Sendable {
    /// Values for tests; `nil` for the variables of this process.
    private let values: [String: String]?

    /// The variables of this process.
    package static let ofProcess = Variables(values: nil)

    private init(values: [String: String]?) {
        self.values = values
    }

    /// These variables alone.
    package init(_ values: [String: String]) {
        self.values = values
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        values = Dictionary(elements) { $1 }
    }

    /// The value of a variable; `nil` if it is not set.
    package subscript(name: String) -> String? {
        if let values { return values[name] }
        return getenv(name).map { String(cString: $0) }
    }

    /// The value of a variable; `nil` if it is not set or empty, as in a compose file that passes an unset variable on.
    package subscript(set name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variables with these names that are set.
    package func only(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for name in names { found[name] = self[name] }
        return found
    }
}
