/// How much the connections of a mock keep of requests that are not whole, and which of them has to end when it is too much.
struct UnfinishedRequests: Equatable, Sendable {
    private let limit: Int
    /// By the connection's number; those that keep nothing are not in it.
    private var bytes: [Int: Int] = [:]
    private var total = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// A connection keeps so much now.
    ///
    /// The one that keeps most is ended, not the one that comes last: who sends what others send too loses nothing by a
    /// neighbour that hoards. What the connection to be ended keeps does not count any more.
    ///
    /// - Returns: The number of a connection to be ended.
    mutating func keeps(_ count: Int, connection: Int) -> Int? {
        total += count - (bytes.removeValue(forKey: connection) ?? 0)
        if count > 0 { bytes[connection] = count }
        guard total > limit, let most = bytes.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return nil }
        bytes[most.key] = nil
        total -= most.value
        return most.key
    }
}
