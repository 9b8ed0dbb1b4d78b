import PushPlatform

/// Environment variables that a configuration file cannot replace.
enum Fallback {
    /// Returns the value of the variable `PUSHSEND_` + name; an empty value counts as absent.
    static func value(_ name: String) -> String? {
        Variables.ofProcess[set: "PUSHSEND_\(name)"]
    }

    /// The device token of `PUSHSEND_TOKEN`, if it is set.
    static var tokens: [String] { value("TOKEN").map { [$0] } ?? [] }
}
