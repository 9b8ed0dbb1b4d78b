import PushPlatform

/// Environment variables, read one by one: a dictionary of all of them takes time at each start.
struct Variables: ExpressibleByDictionaryLiteral, Sendable {
    /// Values for tests; `nil` for the variables of this process.
    private let values: [String: String]?

    /// The variables of this process.
    static let ofProcess = Variables(values: nil)

    private init(values: [String: String]?) {
        self.values = values
    }

    /// These variables alone.
    init(_ values: [String: String]) {
        self.values = values
    }

    init(dictionaryLiteral elements: (String, String)...) {
        values = Dictionary(elements) { $1 }
    }

    /// The value of a variable; `nil` if it is not set.
    subscript(name: String) -> String? {
        if let values { return values[name] }
        return getenv(name).map { String(cString: $0) }
    }

    /// The variables with these names that are set.
    func only(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for name in names { found[name] = self[name] }
        return found
    }
}

/// Environment variables that a configuration file cannot replace.
enum Fallback {
    /// Returns the value of the variable `PUSHSEND_` + name; an empty value counts as absent.
    static func value(_ name: String) -> String? {
        let value = Variables.ofProcess["PUSHSEND_\(name)"]
        return value?.isEmpty == false ? value : nil
    }

    /// The device token of `PUSHSEND_TOKEN`, if it is set.
    static var tokens: [String] { value("TOKEN").map { [$0] } ?? [] }
}
