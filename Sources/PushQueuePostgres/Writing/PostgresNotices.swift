internal import NIOConcurrencyHelpers
import PushPlatform
import PushQueue

/// Notifies other workers of changes, and receives their notices, by NOTIFY and LISTEN.
///
/// A notice is sent after the commit, on a connection of its own: transactions that send one wait for each other, through to the
/// answer of a synchronous standby. A lost notice does no harm, because workers also check for changes from time to time.
final class PostgresNotices: Sendable {
    private let sender: PostgresThread
    private let listener: PostgresThread
    private let channel: String
    private let pollInterval: Duration
    private let subscribers: ChangeSubscribers
    private let state = NIOLockedValueBox(State())

    private struct State {
        var pending: Set<QueueChange> = []
        var isSending = false
        var isClosed = false
        /// The process of the server that sends the notices of this process.
        var backend: Int32?
        var listening: Task<Void, Never>?
        var sending: Task<Void, Never>?
    }

    /// How long the listener waits for a notice before it checks whether it should end.
    private static let slice: Duration = .milliseconds(200)
    /// The minimum time between two notices. The first change after a pause is sent at once. Later changes share one notice, so that the
    /// other workers do not wake up for each of them.
    private static let pause: Duration = .milliseconds(20)

    init(_ address: PostgresAddress, _ options: PostgresQueueOptions, _ subscribers: ChangeSubscribers) {
        sender = PostgresThread(name: "pg-notify", address: address, settings: options.readingSettings)
        listener = PostgresThread(name: "pg-listen", address: address, settings: options.readingSettings)
        (channel, self.subscribers, pollInterval) = (address.schema, subscribers, options.pollInterval)
    }

    func start() {
        let task = Task { await listen() }
        state.withLockedValue { $0.listening = task }
    }

    /// Notifies this process and the others of changes.
    func notify(_ changes: PostgresChanges) {
        let kinds = changes.kinds
        guard !kinds.isEmpty else { return }
        for kind in kinds { subscribers.notify(kind) }
        state.withLockedValue { state in
            state.pending.formUnion(kinds)
            guard !state.isSending, !state.isClosed else { return }
            state.isSending = true
            state.sending = Task { await send() }
        }
    }

    private func send() async {
        while true {
            let kinds = state.withLockedValue { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isSending = false }
                return state.pending
            }
            if kinds.isEmpty { return }
            let sql = kinds.map { #"NOTIFY "\#(channel)_\#($0.rawValue)""# }.sorted().joined(separator: "; ")
            try? await sender.run { [state] (connection) throws(QueueError) in
                state.withLockedValue { $0.backend = connection.backend }
                try connection.execute(sql)
            }
            if !state.withLockedValue({ $0.isClosed }) { try? await Task.sleep(for: Self.pause) }
        }
    }

    private func listen() async {
        var lastCompleteReport = ContinuousClock.now
        while !state.withLockedValue({ $0.isClosed }) {
            let received = try? await listener.run { [channel, state] (connection) throws(QueueError) in
                // A connection that is new does not listen yet.
                let names = QueueChange.allCases.map { #"LISTEN "\#(channel)_\#($0.rawValue)""# }
                try connection.execute(names.joined(separator: "; "))
                let own = state.withLockedValue { $0.backend }
                return try connection.waitForNotifications(Self.slice, without: own)
            }
            if received == nil { try? await Task.sleep(for: Self.slice) }
            let names = Set(received ?? [])
            var kinds = QueueChange.allCases.filter { names.contains("\(channel)_\($0.rawValue)") }
            if ContinuousClock.now - lastCompleteReport >= pollInterval { kinds = QueueChange.allCases }
            if kinds.count == QueueChange.allCases.count { lastCompleteReport = .now }
            for kind in kinds { subscribers.notify(kind) }
        }
    }

    func close() async {
        let tasks = state.withLockedValue { state in
            state.isClosed = true
            return [state.listening, state.sending]
        }
        for task in tasks { await task?.value }
        await listener.stop()
        await sender.stop()
    }

    func abort() {
        state.withLockedValue { $0.isClosed = true }
        listener.abort()
        sender.abort()
    }
}
