/// Counts the bytes of incomplete requests on all connections of a mock, and chooses the connection to close when there are too many.
struct UnfinishedRequests: Equatable, Sendable {
    private let limit: Int
    /// The bytes by connection number. Connections without any are not in it.
    private var bytes: [Int: Int] = [:]
    private var total = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Updates the byte count of a connection.
    ///
    /// When the limit is exceeded, the connection with the most bytes is closed, not the most recent one. So a client with usual
    /// requests is not affected by another one with large requests. The bytes of the connection to be closed no longer count.
    ///
    /// - Returns: The number of the connection to be closed.
    mutating func keeps(_ count: Int, connection: Int) -> Int? {
        total += count - (bytes.removeValue(forKey: connection) ?? 0)
        if count > 0 { bytes[connection] = count }
        guard total > limit, let maximum = bytes.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
            return nil
        }
        bytes[maximum.key] = nil
        total -= maximum.value
        return maximum.key
    }
}
