/// What an error of a socket means, in words for people. Client, mock and service show the same words.
package enum SocketFailure {
    /// The words for an address without a route.
    package static let noRoute = "can't be reached from here"

    /// Says what the other side of a connection has done, such as "reset the connection".
    ///
    /// - Parameter code: The `errno` of the failed call.
    /// - Returns: The rest of a sentence that begins with the other side's name.
    package static func predicate(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "refused the connection: nothing listens there, check host and port"
        case ECONNRESET, ECONNABORTED: "reset the connection"
        case EPIPE, ENOTCONN: "closed the connection"
        case ETIMEDOUT: "stopped answering"
        case EHOSTUNREACH, ENETUNREACH: noRoute
        case EMFILE, ENFILE: "can't be reached: this process has no file descriptor left"
        default: "can't be reached: \(String(cString: strerror(code)))"
        }
    }
}
