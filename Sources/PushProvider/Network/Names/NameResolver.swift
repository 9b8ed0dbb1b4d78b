/// Looks up names for connections. Each connection makes a new lookup, so that the addresses of a name may change.
///
/// It is not public: users of the library resolve names with the system, too.
package protocol NameResolver: Sendable {
    /// Looks up the addresses of a name.
    ///
    /// - Parameters:
    ///   - host: The name, or an address as text.
    ///   - port: The port for the addresses.
    ///   - answer: Called at most once, on any thread, perhaps before this method returns. The addresses of both
    ///     families are in the order in which to try them (RFC 6724).
    /// - Returns: A closure that cancels the lookup.
    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void
}

/// Why a name lookup failed.
package enum NameFailure: Error, Hashable, Sendable {
    /// The name does not exist.
    case unknown
    /// No DNS server answered.
    case noServer
    /// This process has no file descriptor left for the lookup.
    case noDescriptors
    /// Another error, with the system's message.
    case other(String)
}
