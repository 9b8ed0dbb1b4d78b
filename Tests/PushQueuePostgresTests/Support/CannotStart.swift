/// A program or a socket that a test needs cannot start.
struct CannotStart: Error, CustomStringConvertible {
    var program: String
    var reason: String

    var description: String { "\(program): \(reason)" }
}
