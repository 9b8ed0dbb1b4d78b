/// What a diagnosis is made from.
struct PoolView {
    var figures: PoolFigures
    var queued: Int
    /// How many callers wait for room in the queue, and how much that is.
    var waitingForRoom: Int
    /// How many notifications and bytes the queue holds at most.
    var bound: (count: Int, bytes: Int)
    var streamsPerConnection: Int
    /// Why nothing is sent, where the credentials were refused.
    var haltWords: String?
    /// Why nothing can be sent yet.
    var whyItWaits: String

    /// From here on a thread has no time left for more.
    static let busyShare = 0.75

    var diagnosis: PushDiagnosis {
        let (limit, words) = limit
        return PushDiagnosis(
            limit: limit, description: words, answersPerSecond: figures.answersPerSecond,
            queued: queued + waitingForRoom, inFlight: figures.inFlight,
            answerTime: figures.answerTime > .zero ? figures.answerTime : nil, connections: figures.serving.count,
            wantedConnections: figures.wantedConnections)
    }

    private var limit: (PushDiagnosis.Limit, String) {
        if let haltWords { return (.credentials, haltWords) }
        let waits = queued + waitingForRoom > 0
        guard !figures.serving.isEmpty else {
            if figures.awaitsAuthentication {
                return (.server, waits ? Self.words(for: .authentication) : "The first answer is waited for.")
            }
            return waits
                ? (.connecting, "No connection takes requests yet: \(whyItWaits).")
                : (.nothing, "Nothing is being sent.")
        }
        if waits, let full { return full }
        if figures.busyShare >= Self.busyShare { return (.cpu, busyWords) }
        if waitingForRoom > 0 {
            return (
                .queue,
                "Callers wait for room in the queue, which holds \(bound.count) notifications and \(bound.bytes) bytes at the"
                    + " most, while connections could take more: raise queuedNotifications or queuedBytes."
            )
        }
        if waits { return (.caller, "Connections have room for all that is given, and take it at once.") }
        guard figures.inFlight > 0 else { return (.nothing, "Nothing is being sent.") }
        if figures.isSteady {
            return (
                .roundTrip,
                "The caller waits for answers: \(figures.inFlight) are in flight at a time, and an answer takes"
                    + " \(time(figures.answerTime)). Sending more at a time would be faster."
            )
        }
        return (.caller, "Every notification is sent at once: the caller is the limit.")
    }

    private var busyWords: String {
        "This machine: the thread of the connections works \(Int(figures.busyShare * 100)) % of the time."
    }

    /// All that serve are full.
    private var full: (PushDiagnosis.Limit, String)? {
        let limits = figures.serving.compactMap(\.limit)
        guard limits.count == figures.serving.count, let first = limits.first else { return nil }
        // Where they differ, the kind that most have.
        let limit = limits.max { one, other in limits.count { $0 == one } < limits.count { $0 == other } } ?? first
        guard limit.isEndedByMoreConnections else { return (.server, Self.words(for: limit)) }
        if figures.busyShare >= Self.busyShare { return (.cpu, busyWords) }
        if figures.isPlateau {
            return (
                .server,
                "The server, or the network before it: \(connections) full, \(each) an answer takes"
                    + " \(time(figures.answerTime)), and more connections brought no more answers."
            )
        }
        switch limit {
        case .window:
            return (
                .window,
                "The window: what the server lets be on its way at a time is used up, \(each)"
                    + " an answer takes \(time(figures.answerTime)). \(wayOut)"
            )
        case .socket: return (.network, "The network: it takes no more of what is written. \(wayOut)")
        case .streams, .authentication, .calm:
            let allowed = figures.serving.map(\.allowedStreams).min() ?? 0
            let whose =
                allowed < streamsPerConnection
                ? "the server allows \(allowed)" : "streamsPerConnection is \(streamsPerConnection)"
            return (
                .streams,
                "The streams: all of \(connections) are in use (\(whose)), and an answer takes"
                    + " \(time(figures.answerTime)). \(wayOut)"
            )
        }
    }

    private var connections: String {
        figures.serving.count == 1 ? "1 connection" : "\(figures.serving.count) connections"
    }

    private var each: String {
        let carried = figures.serving.compactMap(\.mostCarried)
        return carried.isEmpty ? "" : "\(carried.reduce(0, +) / carried.count) notifications on each connection,"
    }

    private var wayOut: String {
        guard figures.wantedConnections < figures.maximumConnections else {
            return "There are \(connections), as many as maximumConnections allows: with more it would be faster."
        }
        return figures.isResting
            ? "The last trial of another connection came to nothing: the next one waits for a while."
            : "Another connection is tried."
    }

    private static func words(for limit: ConnectionLimit) -> String {
        limit == .calm
            ? "The server has asked for calm: fewer streams are open than it allows."
            : "The server: until its first answer shows that it knows the provider token, one stream is open at a time."
    }

    private func time(_ duration: Duration) -> String {
        let milliseconds = Double(duration.clampedNanoseconds) / 1e6
        return milliseconds < 10
            ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds.rounded())) ms"
    }
}
