/// Why an app cannot send.
package struct AppSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the app.
    package let app: String
    /// What is wrong and what to do.
    package let description: String

    init(_ app: String, _ description: String) {
        (self.app, self.description) = (app, description)
    }
}
