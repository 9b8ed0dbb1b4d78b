/// What limits how much a client sends now, in words and in figures.
public struct PushDiagnosis: Sendable, Hashable, CustomStringConvertible {
    /// What the limit is. More kinds may come: have a default where you switch over them.
    public struct Limit: RawRepresentable, Sendable, Hashable {
        /// The word for it, as in JSON.
        public var rawValue: String

        /// Any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nothing is being sent.
        public static let nothing = Limit(rawValue: "nothing")
        /// There is no connection yet, or none any more.
        public static let connecting = Limit(rawValue: "connecting")
        /// The credentials were refused: nothing is sent for a while.
        public static let credentials = Limit(rawValue: "credentials")
        /// The caller: every notification is sent at once.
        public static let caller = Limit(rawValue: "caller")
        /// The caller waits for answers before it sends more: the round trip is the limit.
        public static let roundTrip = Limit(rawValue: "round_trip")
        /// The queue's bound: callers wait for room in it, while connections could take more.
        public static let queue = Limit(rawValue: "queue")
        /// All streams of all connections are in use.
        public static let streams = Limit(rawValue: "streams")
        /// What is on its way fills the windows that the server gives.
        public static let window = Limit(rawValue: "window")
        /// The network takes no more bytes.
        public static let network = Limit(rawValue: "network")
        /// This machine's processors.
        public static let cpu = Limit(rawValue: "cpu")
        /// The server: it holds this client back, or answers no faster on more connections.
        public static let server = Limit(rawValue: "server")
    }

    /// What limits it.
    public var limit: Limit
    /// The same in a sentence or two, with figures and the way out.
    public var description: String
    /// Answers per second, over about the last second.
    public var answersPerSecond: Double
    /// How many notifications wait in the queue.
    public var queued: Int
    /// How many are on their way, without an answer yet.
    public var inFlight: Int
    /// From a request to its answer, a moving average over the connections; `nil` before the first.
    public var answerTime: Duration?
    /// How many connections take requests.
    public var connections: Int
    /// How many there should be.
    public var wantedConnections: Int

    static func nothing(wanted: Int) -> PushDiagnosis {
        PushDiagnosis(
            limit: .nothing, description: "Nothing is being sent.", answersPerSecond: 0, queued: 0, inFlight: 0,
            answerTime: nil, connections: 0, wantedConnections: wanted)
    }
}
