/// Looks names up for connections. It is asked anew for each of them, so that what the name stands for may change.
///
/// Not public: which servers a name stands for is the system's to say, for the library's users too.
package protocol NameResolver: Sendable {
    /// Asks what a name or an address stands for.
    ///
    /// - Parameters:
    ///   - host: The name, or an address as people write it.
    ///   - port: The port that the addresses get.
    ///   - answer: Called at most once, on any thread, or before this returns. The addresses are in the order in which
    ///     they should be tried (RFC 6724), those of both families together.
    /// - Returns: What to call when nobody waits for the answer any more.
    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void
}

/// Why a name stands for nothing.
package enum NameFailure: Error, Hashable, Sendable {
    /// Nobody knows it.
    case unknown
    /// Nobody who could know it has answered.
    case noServer
    /// This process cannot ask.
    case noDescriptors
    /// Something else, in the system's words.
    case other(String)
}
