internal import NIOConcurrencyHelpers
import NIOCore
internal import NIOHTTPTypes

/// The clients that are connected to the console, so that a request that waits can end when its client is gone.
final class ConsoleClients: Sendable {
    /// A client.
    final class Client: Sendable {
        private struct State {
            var isGone = false
            var next = 0
            var actions: [Int: @Sendable () -> Void] = [:]
        }

        private let state = NIOLockedValueBox(State())

        /// Runs an action when the client is gone; at once if it is gone already.
        ///
        /// - Returns: The number of the action, to forget it.
        func whenGone(_ action: @escaping @Sendable () -> Void) -> Int {
            let (number, isGone) = state.withLockedValue { state in
                state.next += 1
                if !state.isGone { state.actions[state.next] = action }
                return (state.next, state.isGone)
            }
            if isGone { action() }
            return number
        }

        func forget(_ number: Int) {
            state.withLockedValue { _ = $0.actions.removeValue(forKey: number) }
        }

        fileprivate func leave() {
            let actions = state.withLockedValue { state in
                state.isGone = true
                defer { state.actions = [:] }
                return Array(state.actions.values)
            }
            for action in actions { action() }
        }
    }

    private let clients = NIOLockedValueBox<[ObjectIdentifier: Client]>([:])

    /// The client of a connection; `nil` if it is gone.
    func client(on channel: any Channel) -> Client? { clients.withLockedValue { $0[ObjectIdentifier(channel)] } }

    fileprivate func connected(on channel: any Channel) {
        clients.withLockedValue { $0[ObjectIdentifier(channel)] = Client() }
    }

    /// The client sends no more: from now on, what waits for it ends.
    fileprivate func left(_ channel: any Channel) {
        client(on: channel)?.leave()
    }

    fileprivate func closed(_ channel: any Channel) {
        clients.withLockedValue { $0.removeValue(forKey: ObjectIdentifier(channel)) }?.leave()
    }
}

/// Notes when a client connects and when it is gone.
final class ClientWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let clients: ConsoleClients

    init(_ clients: ConsoleClients) {
        self.clients = clients
    }

    func handlerAdded(context: ChannelHandlerContext) {
        clients.connected(on: context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        clients.closed(context.channel)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { clients.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        clients.closed(context.channel)
        context.fireChannelInactive()
    }
}
