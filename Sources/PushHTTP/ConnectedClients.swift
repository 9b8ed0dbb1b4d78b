internal import NIOConcurrencyHelpers
package import NIOCore
package import NIOHTTPTypes

/// The clients that are connected to the server, so that a request that waits can end when its client is gone.
package final class ConnectedClients: Sendable {
    /// A client.
    package final class Client: Sendable {
        private struct State {
            var isGone = false
            var next = 0
            var actions: [Int: @Sendable () -> Void] = [:]
        }

        /// The network address of the client, without the port; `nil` if it is not known.
        package let address: String?
        private let state = NIOLockedValueBox(State())

        fileprivate init(address: String?) {
            self.address = address
        }

        /// Runs an action when the client is gone; at once if it is gone already.
        ///
        /// - Returns: The number of the action, to forget it.
        package func whenGone(_ action: @escaping @Sendable () -> Void) -> Int {
            let (number, isGone) = state.withLockedValue { state in
                state.next += 1
                if !state.isGone { state.actions[state.next] = action }
                return (state.next, state.isGone)
            }
            if isGone { action() }
            return number
        }

        /// Forgets an action of ``whenGone(_:)``.
        package func forget(_ number: Int) {
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

    /// Creates a list of no clients.
    package init() {}

    private let clients = NIOLockedValueBox<[ObjectIdentifier: Client]>([:])

    /// The client of a connection; `nil` if it is gone.
    package func client(on channel: any Channel) -> Client? {
        clients.withLockedValue { $0[ObjectIdentifier(channel)] }
    }

    fileprivate func connected(on channel: any Channel) {
        let client = Client(address: channel.remoteAddress?.ipAddress)
        clients.withLockedValue { $0[ObjectIdentifier(channel)] = client }
    }

    /// The client sends nothing more: requests that wait for it end.
    fileprivate func left(_ channel: any Channel) {
        client(on: channel)?.leave()
    }

    fileprivate func closed(_ channel: any Channel) {
        clients.withLockedValue { $0.removeValue(forKey: ObjectIdentifier(channel)) }?.leave()
    }
}

/// Notes when a client connects and when it is gone.
package final class ClientWatch: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart

    private let clients: ConnectedClients

    package init(_ clients: ConnectedClients) {
        self.clients = clients
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        clients.connected(on: context.channel)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        clients.closed(context.channel)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { clients.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        clients.closed(context.channel)
        context.fireChannelInactive()
    }
}
