/// What a diagnosis knows of a pool: figures of about the last second.
struct PoolFigures: Equatable {
    /// A connection that takes requests.
    struct Connection: Equatable {
        /// Why it takes no more; `nil` when it does.
        var limit: ConnectionLimit?
        /// How many requests were in flight when streams or window were used up the last time.
        var mostCarried: Int?
        /// How many streams it may have open.
        var allowedStreams: Int
    }

    var answersPerSecond: Double
    var inFlight: Int
    /// From a request to its answer, on average; zero before the first.
    var answerTime: Duration
    /// The share of its time that the busiest event loop works for connections, 0 to 1.
    var busyShare: Double
    /// About as many requests were in flight whenever it was looked at.
    var isSteady: Bool
    /// The next trial of another connection waits.
    var isResting: Bool
    var wantedConnections: Int
    var maximumConnections: Int
    /// More connections have brought no more answers.
    var isPlateau: Bool
    /// A connection waits for the first answer that shows that the server accepts the credentials.
    var awaitsAuthentication: Bool
    var serving: [Connection]
}
