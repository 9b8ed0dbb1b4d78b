extension PushClient {
    /// What limits the speed of a client now, as text and in figures.
    public struct Diagnosis: Sendable, Hashable, CustomStringConvertible {
        /// The kind of limit. Later versions may add kinds: use a `default` when you switch over them.
        public struct Limit: RawRepresentable, Sendable, Hashable {
            /// The name of the limit, as in JSON.
            public var rawValue: String

            /// Creates a limit from its name.
            ///
            /// - Parameter rawValue: The name, as in JSON.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// Nothing is being sent.
            public static let nothing = Limit(rawValue: "nothing")
            /// No connection is ready.
            public static let connecting = Limit(rawValue: "connecting")
            /// The credentials were refused: nothing is sent for a while.
            public static let credentials = Limit(rawValue: "credentials")
            /// The caller: every notification is sent at once.
            public static let caller = Limit(rawValue: "caller")
            /// The caller waits for answers before it sends more: the round trip is the limit.
            public static let roundTrip = Limit(rawValue: "round_trip")
            /// The maximum size of the queue: callers wait for space in it, but the connections could send more.
            public static let queue = Limit(rawValue: "queue")
            /// All streams of all connections are in use.
            public static let streams = Limit(rawValue: "streams")
            /// The data in flight fills the flow-control windows of the server.
            public static let window = Limit(rawValue: "window")
            /// The network accepts no more bytes.
            public static let network = Limit(rawValue: "network")
            /// The CPU of this machine.
            public static let cpu = Limit(rawValue: "cpu")
            /// The server: it slows this client down, or answers take much longer than its round trip.
            public static let server = Limit(rawValue: "server")
        }

        /// What limits the speed.
        public var limit: Limit
        /// The limit in a sentence or two, with figures and what to do.
        public var description: String
        /// Answers per second, over about the last second.
        public var answersPerSecond: Double
        /// The number of notifications in the queue, with those whose callers wait for space in it.
        public var queued: Int
        /// The number of notifications that were sent and have no answer yet.
        public var inFlight: Int
        /// The time from a request to its answer, a moving average over the connections; `nil` before the first answer.
        public var answerTime: Duration?
        /// The number of connections that accept requests.
        public var connections: Int
        /// The number of connections that the client wants.
        public var wantedConnections: Int

        static func nothing(wanted: Int) -> PushClient.Diagnosis {
            PushClient.Diagnosis(
                limit: .nothing, description: "Nothing is being sent.", answersPerSecond: 0, queued: 0, inFlight: 0,
                answerTime: nil, connections: 0, wantedConnections: wanted)
        }
    }
}
