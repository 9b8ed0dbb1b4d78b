internal import NIOConcurrencyHelpers
internal import NIOCore

/// The connections that are open, so that each can be reached from elsewhere.
final class OpenConnections: Sendable {
    private struct State {
        /// By their numbers.
        var open: [Int: (channel: any Channel, connection: NIOLoopBound<ServerConnection>)] = [:]
        var isStopped = false
    }

    private let state = NIOLockedValueBox(State())

    /// How many there are.
    var count: Int { state.withLockedValue { $0.open.count } }

    /// Takes a connection in; one that comes after the end is closed.
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

    /// Does something with a connection, on its thread and a little later; one that is gone is passed over.
    func reach(_ number: Int, _ body: @escaping @Sendable (ServerConnection) -> Void) {
        guard let (channel, connection) = state.withLockedValue({ $0.open[number] }) else { return }
        channel.eventLoop.execute { body(connection.value) }
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
