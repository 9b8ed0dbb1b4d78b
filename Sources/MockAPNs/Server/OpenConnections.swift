internal import NIOConcurrencyHelpers
internal import NIOCore

/// The open connections, for use from other threads.
final class OpenConnections: Sendable {
    private struct State {
        /// The connections by number.
        var open: [Int: (channel: any Channel, connection: NIOLoopBound<ServerConnection>)] = [:]
        var isStopped = false
    }

    private let state = NIOLockedValueBox(State())

    /// The number of open connections.
    var count: Int { state.withLockedValue { $0.open.count } }

    /// Adds a connection. If the mock has stopped, the connection is closed.
    func add(_ connection: ServerConnection, on channel: any Channel) {
        let number = connection.number
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let isStopped = state.withLockedValue { state in
            state.open[number] = (channel, bound)
            return state.isStopped
        }
        channel.closeFuture.whenComplete { [state] _ in state.withLockedValue { $0.open[number] = nil } }
        if isStopped { channel.close(promise: nil) }
    }

    /// Runs a closure on the event loop of a connection, later.
    ///
    /// - Returns: `false` if the connection has ended.
    @discardableResult
    func reach(_ number: Int, _ body: @escaping @Sendable (ServerConnection) -> Void) -> Bool {
        guard let (channel, connection) = state.withLockedValue({ $0.open[number] }) else { return false }
        channel.eventLoop.execute { body(connection.value) }
        return true
    }

    func stopAll() async {
        let open = state.withLockedValue { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        for (channel, connection) in open {
            channel.eventLoop.execute { connection.value.stop() }
            try? await channel.closeFuture.get()
        }
    }
}
