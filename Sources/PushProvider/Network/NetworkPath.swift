internal import NIOConcurrencyHelpers

/// The way from this machine to a client's servers, which its connections share, whichever event loop they are on.
final class NetworkPath: Sendable {
    let resolver: any NameResolver
    /// What stands between, where something does.
    let proxy: PushProxy?

    /// How long an address is asked before the next one is too.
    let headStart: Duration

    private let memory = NIOLockedValueBox(AddressMemory())

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
        memory.withLockedValue { $0.order(addresses, now: now, chance: .random(in: 0..<1)) }
    }

    func begun(_ address: NetworkAddress) {
        memory.withLockedValue { $0.begun(address) }
    }

    /// Later connections try the others first.
    func failed(_ address: NetworkAddress, now: MonotonicTime) {
        memory.withLockedValue { $0.failed(address, now: now) }
    }

    func served(_ address: NetworkAddress) {
        memory.withLockedValue { $0.served(address) }
    }
}
