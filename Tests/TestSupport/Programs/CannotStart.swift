/// A program or a socket that a test needs cannot start.
package struct CannotStart: Error, CustomStringConvertible {
    package var program: String
    package var reason: String

    package init(program: String, reason: String) {
        (self.program, self.reason) = (program, reason)
    }

    package var description: String { "\(program): \(reason)" }
}
