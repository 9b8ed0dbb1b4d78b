/// The figures of a pool for a diagnosis, over about the last second.
struct PoolFigures: Equatable {
    /// A connection that accepts requests.
    struct Connection: Equatable {
        /// Why it accepts no more requests for now; `nil` if it does.
        var limit: ConnectionLimit?
        /// The number of requests in flight when the streams or the window were last full.
        var mostCarried: Int?
        /// The maximum number of open streams.
        var allowedStreams: Int
    }

    var answersPerSecond: Double
    var inFlight: Int
    /// The average time from a request to its answer; zero before the first answer.
    var answerTime: Duration
    /// The share of time that the busiest event loop works for connections, 0 to 1.
    var busyShare: Double
    /// Whether about the same number of requests was in flight at every check.
    var isSteady: Bool
    /// Whether the client waits before it tries another connection.
    var isResting: Bool
    var wantedConnections: Int
    var maximumConnections: Int
    /// Whether more connections brought no more answers.
    var isPlateau: Bool
    /// Whether a connection waits for the first answer that shows that the server accepts the credentials.
    var awaitsAuthentication: Bool
    var serving: [Connection]
}
