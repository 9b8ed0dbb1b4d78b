internal import NIOConcurrencyHelpers
package import NIOCore
package import NIOHTTPTypes

/// The clients that are connected to the server, so that a request that waits can end when its client is gone, and clients
/// without a key can't take all places.
package final class ConnectedClients: Sendable {
    package final class Client: Sendable {
        private struct State {
            var isGone = false
            var next = 0
            var actions: [Int: @Sendable () -> Void] = [:]
            var holder: SharedLimit.Holder
            /// Whether the current request has begun to read its body.
            var wantsBody = false
            var whenBodyWanted: (@Sendable () -> Void)?
            /// Whether the parts of the body are gathered while the request is busy.
            var gathersBody = false
            /// Whether the request waits for the next part of its body.
            var isPartWanted = false
            var whenPartWanted: (@Sendable () -> Void)?
        }

        /// The network address of the client, without the port; `nil` if it is not known. Of IPv6, it is the network of 64 bits,
        /// of which one client has all addresses.
        package let address: String?
        private let id: ObjectIdentifier
        private let list: ConnectedClients
        private let state: NIOLockedValueBox<State>

        fileprivate init(_ id: ObjectIdentifier, address: String?, _ list: ConnectedClients) {
            (self.id, self.address, self.list) = (id, address, list)
            state = NIOLockedValueBox(State(holder: .address(address ?? "")))
        }

        /// Who uses the connection: the key of its last request with a key, or its address.
        package var holder: SharedLimit.Holder { state.withLockedValue { $0.holder } }

        /// Notes that a request has a key.
        ///
        /// - Returns: Whether it may go on; `false` if the key has half of all connections already.
        package func showedKey(_ key: String) -> Bool {
            guard holder != .key(key) else { return true }
            guard list.shares.withLockedValue({ $0.showedKey(id, key) }) else { return false }
            state.withLockedValue { $0.holder = .key(key) }
            return true
        }

        package func requestBegan() {
            guard case .address = holder else { return }
            list.shares.withLockedValue { $0.requestBegan(id) }
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

        package func forget(_ number: Int) {
            state.withLockedValue { _ = $0.actions.removeValue(forKey: number) }
        }

        // MARK: The body

        /// Notes that the current request waits for the next part of its body: from now on, all of it may come.
        func wantBody() {
            let actions = state.withLockedValue { state in
                (state.wantsBody, state.isPartWanted) = (true, true)
                defer { (state.whenBodyWanted, state.whenPartWanted) = (nil, nil) }
                return [state.whenBodyWanted, state.whenPartWanted]
            }
            for action in actions { action?() }
        }

        /// Notes that a new request begins, which has not asked for its body.
        func beginRequest() {
            state.withLockedValue { state in
                (state.wantsBody, state.whenBodyWanted) = (false, nil)
                (state.gathersBody, state.isPartWanted, state.whenPartWanted) = (false, false, nil)
            }
        }

        /// Gathers what comes of the body while the current request is busy with the part before.
        package func gatherBody() {
            state.withLockedValue { $0.gathersBody = true }
        }

        var gathersBody: Bool { state.withLockedValue { $0.gathersBody } }

        func endGathering() {
            state.withLockedValue { ($0.gathersBody, $0.whenPartWanted) = (false, nil) }
        }

        /// Takes the wish for a part: returns `true` if the request waits for one. Otherwise, runs an action as soon as it does.
        func takePart(orWhenWanted action: @escaping @Sendable () -> Void) -> Bool {
            state.withLockedValue { state in
                if state.isPartWanted {
                    state.isPartWanted = false
                    return true
                }
                state.whenPartWanted = action
                return false
            }
        }

        var wantsBody: Bool { state.withLockedValue { $0.wantsBody } }

        /// Runs an action as soon as the body is wanted. Returns `false` if it is wanted already.
        func whenBodyIsWanted(_ action: @escaping @Sendable () -> Void) -> Bool {
            state.withLockedValue { state in
                guard !state.wantsBody else { return false }
                state.whenBodyWanted = action
                return true
            }
        }

        fileprivate func leave() {
            let actions = state.withLockedValue { state in
                state.isGone = true
                (state.whenBodyWanted, state.whenPartWanted) = (nil, nil)
                defer { state.actions = [:] }
                return Array(state.actions.values)
            }
            for action in actions { action() }
        }
    }

    private struct Entry {
        var client: Client
        var channel: any Channel
    }

    private let clients = NIOLockedValueBox<[ObjectIdentifier: Entry]>([:])
    fileprivate let shares: NIOLockedValueBox<ConnectionShares<ObjectIdentifier>>

    /// Creates a list of no clients. When there are `maximum`, the oldest one without a key goes for each new one.
    package init(maximum: Int) {
        shares = NIOLockedValueBox(ConnectionShares(maximum))
    }

    /// The client of a connection; `nil` if it is gone.
    package func client(on channel: any Channel) -> Client? {
        clients.withLockedValue { $0[ObjectIdentifier(channel)]?.client }
    }

    fileprivate func connected(on channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let client = Client(id, address: channel.remoteAddress?.shareName, self)
        clients.withLockedValue { $0[id] = Entry(client: client, channel: channel) }
        let evicted = shares.withLockedValue { $0.connected(id, from: client.holder) }
        if let evicted { clients.withLockedValue { $0[evicted]?.channel }?.close(promise: nil) }
    }

    /// The client sends nothing more: requests that wait for it end.
    fileprivate func left(_ channel: any Channel) {
        client(on: channel)?.leave()
    }

    fileprivate func closed(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        shares.withLockedValue { $0.closed(id) }
        clients.withLockedValue { $0.removeValue(forKey: id) }?.client.leave()
    }
}

extension SocketAddress {
    /// The text under which a client without a key shares limits.
    package var shareName: String? {
        guard let text = ipAddress, text.contains(":") else { return ipAddress }
        // An IPv4 address on a socket for both: ::ffff:192.0.2.1.
        if text.contains(".") { return text.split(separator: ":").last.map(String.init) }
        // Two colons are the groups that are missing.
        let gap = text.firstRange(of: "::")
        let first = text[..<(gap?.lowerBound ?? text.endIndex)].split(separator: ":")
        let last = gap.map { text[$0.upperBound...].split(separator: ":") } ?? []
        let zeros = Array(repeating: Substring("0"), count: max(8 - first.count - last.count, 0))
        return (first + zeros + last).prefix(4).joined(separator: ":") + "::/64"
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
