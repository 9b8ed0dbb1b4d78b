import PushPlatform

/// Environment variables.
struct Variables: Sendable {
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

    /// The value of a variable; `nil` if it is not set or empty, as in a compose file that passes an unset variable on.
    subscript(name: String) -> String? {
        let value = values.map { $0[name] } ?? getenv(name).map { String(cString: $0) }
        return value?.isEmpty == false ? value : nil
    }
}
