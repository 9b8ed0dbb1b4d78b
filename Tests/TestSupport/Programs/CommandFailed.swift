/// A command that a test needs has ended with an error.
package struct CommandFailed: Error, CustomStringConvertible {
    package var command: String
    package var output: String

    package var description: String { "\(command): \(output)" }
}
