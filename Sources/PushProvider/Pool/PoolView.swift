internal import NIOConcurrencyHelpers
internal import PushPlatform
internal import Synchronization

/// The state of a pool from which a diagnosis is created.
struct PoolView {
    var watch: PoolWatch
    var queued: Int
    /// The number of callers that wait for space in the queue.
    var waitingForRoom: Int
    /// The maximum of notifications and of bytes in the queue.
    var bound: (count: Int, bytes: Int)
    var streamsPerConnection: Int
    /// Why nothing is sent, if the credentials were refused.
    var haltMessage: String?
    /// Why nothing can be sent yet.
    var whyItWaits: String

    var diagnosis: PushClient.Diagnosis {
        let (limit, message) = limit
        return PushClient.Diagnosis(
            limit: limit, description: message, answersPerSecond: watch.answersPerSecond,
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
                    + " \(time(watch.answerTime)). Send more at a time."
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
                    + " \(time(watch.answerTime)), and at other times only \(time(shortest))."
            )
        }
        switch limit {
        case .window:
            return (
                .window,
                "The flow-control window of the server is full: \(each)"
                    + " an answer takes \(time(watch.answerTime)). \(remedy)"
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
                    + " \(time(watch.answerTime)). \(remedy)"
            )
        }
    }

    private var connections: String { counted(watch.serving.count, "connection") }

    private var each: String {
        let carried = watch.serving.compactMap(\.pace.mostCarried)
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

    private func time(_ duration: Duration) -> String {
        let milliseconds = Double(duration.clampedNanoseconds) / 1e6
        return milliseconds < 10
            ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds.rounded())) ms"
    }
}

/// The figures that a pool publishes. Any thread may read them.
final class PublishedPoolFigures: Sendable {
    private let latest: NIOLockedValueBox<PushClient.Diagnosis>
    private let ahead: Synchronization.Atomic<Int>

    init(_ diagnosis: PushClient.Diagnosis, readAhead: Int) {
        latest = NIOLockedValueBox(diagnosis)
        ahead = Synchronization.Atomic(readAhead)
    }

    var diagnosis: PushClient.Diagnosis {
        get { latest.withLockedValue { $0 } }
        set { latest.withLockedValue { $0 = newValue } }
    }

    /// The maximum number of notifications that a sequence reads ahead.
    var readAhead: Int {
        get { ahead.load(ordering: .relaxed) }
        set { ahead.store(newValue, ordering: .relaxed) }
    }
}
