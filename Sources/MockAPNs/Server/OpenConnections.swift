internal import NIOConcurrencyHelpers
internal import NIOCore

/// What other threads ask of an open connection.
protocol ReachableConnection: AnyObject {
    var number: Int { get }
    func stop()
    func refuse(_ reached: LimitExceeded)
    func begin(_ order: FaultOrder)
}

final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        let connection: NIOLoopBound<any ReachableConnection>
        /// The record of the connection has its end, but the channel is not closed yet.
        var hasEnded = false
    }

    private struct State {
        /// The connections by number.
        var open: [Int: Entry] = [:]
        /// Connections of this mock's ports that belong to a namespace now.
        var awayCount = 0
        var isStopped = false
    }

    private let state = NIOLockedValueBox(State())

    /// The number of open connections, with those that belong to a namespace now.
    var count: Int { state.withLockedValue { $0.open.count + $0.awayCount } }

    /// Whether the mock has stopped, or is about to.
    var isStopped: Bool { state.withLockedValue { $0.isStopped } }

    /// Adds a connection. If the mock has stopped, the connection is closed.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - channel: Its channel.
    ///   - isKnown: Whether it was here before, under the same number.
    func add(_ connection: some ReachableConnection, on channel: any Channel, isKnown: Bool = false) {
        let number = connection.number
        let bound = NIOLoopBound<any ReachableConnection>(connection, eventLoop: channel.eventLoop)
        let isStopped = state.withLockedValue { state in
            state.open[number] = Entry(channel: channel, connection: bound)
            if isKnown { state.awayCount -= 1 }
            return state.isStopped
        }
        if !isKnown {
            channel.closeFuture.whenComplete { [state] _ in
                state.withLockedValue { if $0.open.removeValue(forKey: number) == nil { $0.awayCount -= 1 } }
            }
        }
        if isStopped { channel.close(promise: nil) }
    }

    /// Removes a connection that continues in another mock.
    func remove(_ number: Int) {
        state.withLockedValue { if $0.open.removeValue(forKey: number) != nil { $0.awayCount += 1 } }
    }

    /// A connection is about to close. From now on it cannot be reached.
    func end(_ number: Int) {
        state.withLockedValue { $0.open[number]?.hasEnded = true }
    }

    /// Runs a closure on the event loop of a connection, later.
    ///
    /// - Returns: `false` if the connection has ended.
    @discardableResult
    func reach(_ number: Int, _ body: @escaping @Sendable (any ReachableConnection) -> Void) -> Bool {
        guard let entry = state.withLockedValue({ $0.open[number] }), !entry.hasEnded else { return false }
        let connection = entry.connection
        entry.channel.eventLoop.execute { body(connection.value) }
        return true
    }

    func stopAll() async {
        let open = state.withLockedValue { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        for entry in open {
            let connection = entry.connection
            entry.channel.eventLoop.execute { connection.value.stop() }
        }
        for entry in open { try? await entry.channel.closeFuture.get() }
    }
}
