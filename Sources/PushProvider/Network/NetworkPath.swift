internal import NIOConcurrencyHelpers

/// The network path to the servers of a client: resolver, proxy and known addresses. All connections of the client
/// share it, on any event loop.
final class NetworkPath: Sendable {
    let resolver: any NameResolver
    /// The proxy, if there is one.
    let proxy: PushProxy?

    /// How long to wait for an address before the next one is tried, too.
    let headStart: Duration

    private let history = NIOLockedValueBox(AddressHistory())

    init(
        resolver: any NameResolver = SystemNames.shared, proxy: PushProxy? = nil,
        headStart: Duration = AddressRace.usualHeadStart
    ) {
        self.headStart = headStart
        self.resolver = resolver
        self.proxy = proxy
    }

    /// The order in which the next connection tries these addresses.
    func order(_ addresses: [NetworkAddress], now: MonotonicTime) -> [NetworkAddress] {
        history.withLockedValue { $0.order(addresses, now: now, chance: .random(in: 0..<1)) }
    }

    func begun(_ address: NetworkAddress) {
        history.withLockedValue { $0.begun(address) }
    }

    /// Marks the address as failed, so that the next connections try other addresses first.
    func failed(_ address: NetworkAddress, now: MonotonicTime) {
        history.withLockedValue { $0.failed(address, now: now) }
    }

    func served(_ address: NetworkAddress) {
        history.withLockedValue { $0.served(address) }
    }
}
