internal import NIOConcurrencyHelpers
internal import NIOCore

/// The connections that are open, so that stopping can say goodbye to them.
final class OpenConnections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: (channel: any Channel, connection: NIOLoopBound<ServerConnection>)] = [:]
        var isStopped = false
    }

    private let state = NIOLockedValueBox(State())

    /// How many there are.
    var count: Int { state.withLockedValue { $0.open.count } }

    /// Takes a connection in; one that comes after the end is closed.
    func add(_ connection: ServerConnection, on channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let isStopped = state.withLockedValue { state in
            state.open[id] = (channel, bound)
            return state.isStopped
        }
        channel.closeFuture.whenComplete { [state] _ in state.withLockedValue { $0.open[id] = nil } }
        if isStopped { channel.close(promise: nil) }
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
