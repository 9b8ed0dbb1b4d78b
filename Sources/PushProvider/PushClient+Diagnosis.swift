internal import PushPlatform

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
    }
}

extension PoolView {
    var diagnosis: PushClient.Diagnosis {
        let (limit, message) = limit
        return PushClient.Diagnosis(
            limit: limit, description: message, answersPerSecond: limit == .nothing ? 0 : watch.answersPerSecond,
            queued: queued + waitingForRoom, inFlight: watch.inFlight,
            answerTime: watch.answerTime > .zero ? watch.answerTime : nil, connections: watch.serving.count,
            wantedConnections: watch.growth.wanted)
    }

    private var limit: (PushClient.Diagnosis.Limit, String) {
        if let haltMessage { return (.credentials, haltMessage) }
        let waits = queued + waitingForRoom > 0
        guard !watch.serving.isEmpty else {
            if watch.awaitsAuthentication {
                return (.server, waits ? Self.message(for: .authentication) : "The client waits for the first answer.")
            }
            return waits
                ? (.connecting, "No connection is ready yet: \(whyItWaits).")
                : (.nothing, "Nothing is being sent.")
        }
        if waits, let full { return full }
        if watch.busyShare >= PoolWatch.fullyBusy { return (.cpu, busyMessage) }
        if waitingForRoom > 0 {
            return (
                .queue,
                "Callers wait for space in the queue, but the connections could send more. Raise queuedNotifications"
                    + " (\(bound.count)) or queuedBytes (\(bound.bytes))."
            )
        }
        if waits { return (.caller, "The connections send everything at once: the caller is the limit.") }
        guard watch.inFlight > 0 else { return (.nothing, "Nothing is being sent.") }
        if watch.isSteady {
            return (
                .roundTrip,
                "The caller waits for answers: \(watch.inFlight) are in flight at a time, and an answer takes"
                    + " \(watch.answerTime.millisecondsText). Send more at a time."
            )
        }
        return (.caller, "Every notification is sent at once: the caller is the limit.")
    }

    private var busyMessage: String {
        "The CPU is the limit: the thread of the connections is busy \(Int(watch.busyShare * 100)) % of the time."
    }

    /// The limit if all connections are full; otherwise `nil`.
    private var full: (PushClient.Diagnosis.Limit, String)? {
        let limits = watch.serving.compactMap(\.pace.limit)
        guard limits.count == watch.serving.count, let first = limits.first else { return nil }
        // If the limits differ, the most frequent one.
        let limit = limits.max { one, other in limits.count { $0 == one } < limits.count { $0 == other } } ?? first
        guard limit.isEndedByMoreConnections else { return (.server, Self.message(for: limit)) }
        if watch.busyShare >= PoolWatch.fullyBusy { return (.cpu, busyMessage) }
        if watch.isPlateau, let shortest = watch.shortest {
            return (
                .server,
                "The server, or the network to it, is the limit: \(connections) full, \(each) an answer takes"
                    + " \(watch.answerTime.millisecondsText), and at other times only \(shortest.millisecondsText)."
            )
        }
        switch limit {
        case .window:
            return (
                .window,
                "The flow-control window of the server is full: \(each)"
                    + " an answer takes \(watch.answerTime.millisecondsText). \(remedy)"
            )
        case .socket: return (.network, "The network is slower than the client. \(remedy)")
        case .streams, .authentication, .calm:
            let allowed = watch.serving.map(\.allowedStreams).min() ?? 0
            let whose =
                allowed < streamsPerConnection
                ? "the server allows \(allowed)" : "streamsPerConnection is \(streamsPerConnection)"
            return (
                .streams,
                "All streams of \(connections) are in use (\(whose)), and an answer takes"
                    + " \(watch.answerTime.millisecondsText). \(remedy)"
            )
        }
    }

    private var connections: String { counted(watch.serving.count, "connection") }

    private var each: String {
        let carried = watch.serving.compactMap(\.pace.maximumCarried)
        return carried.isEmpty ? "" : "\(carried.reduce(0, +) / carried.count) notifications on each connection,"
    }

    private var remedy: String {
        guard watch.growth.wanted < watch.growth.maximum else {
            return "maximumConnections is reached (\(connections)). Raise it to send faster."
        }
        return watch.isResting
            ? "The last further connection failed to open. The client waits before it tries another."
            : "The client tries another connection."
    }

    private static func message(for limit: ConnectionLimit) -> String {
        limit == .calm
            ? "The server has asked for fewer streams (ENHANCE_YOUR_CALM): fewer are open than it allows."
            : "Only one stream is open until the first answer shows that the server knows the provider token."
    }
}
