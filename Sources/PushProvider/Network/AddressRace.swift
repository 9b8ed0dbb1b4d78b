/// Decides when to connect to which address of a name: Happy Eyeballs (RFC 8305 section 5). A pure value; time is an
/// argument.
///
/// It tries one address after the other, each when the previous one has failed or its head start has ended. The first address that
/// answers wins.
struct AddressRace: Equatable {
    /// The head start of each address, as RFC 8305 section 8 recommends.
    static let defaultHeadStart: Duration = .milliseconds(250)
    /// The maximum number of addresses to try. The others are ignored.
    static let maximumAddresses = 32

    private let headStart: Duration
    private var waiting: ArraySlice<NetworkAddress>
    /// The addresses that are tried now, in order of their start.
    private(set) var trying: [NetworkAddress] = []
    /// Whether an address has answered, or the race was cancelled.
    private var isDecided = false

    init(_ addresses: [NetworkAddress], headStart: Duration = Self.defaultHeadStart) {
        self.headStart = headStart
        waiting = addresses.prefix(Self.maximumAddresses)
    }

    enum Action: Equatable {
        case none
        /// Connect to the address. Its head start ends at `next`; `nil` if no other address is left.
        case connect(NetworkAddress, next: MonotonicTime?)
        /// All addresses have failed.
        case giveUp
    }

    mutating func begin(now: MonotonicTime) -> Action {
        advance(now)
    }

    mutating func headStartIsOver(now: MonotonicTime) -> Action {
        advance(now)
    }

    mutating func failed(_ address: NetworkAddress, now: MonotonicTime) -> Action {
        guard let index = trying.firstIndex(of: address) else { return .none }
        trying.remove(at: index)
        return advance(now)
    }

    private mutating func advance(_ now: MonotonicTime) -> Action {
        guard !isDecided else { return .none }
        guard let next = waiting.popFirst() else { return trying.isEmpty ? .giveUp : .none }
        trying.append(next)
        return .connect(next, next: waiting.isEmpty ? nil : now.advanced(by: headStart))
    }

    /// An address has answered.
    ///
    /// - Returns: The addresses that began earlier and have not answered yet; `nil` if another address has won.
    mutating func connected(_ address: NetworkAddress) -> [NetworkAddress]? {
        guard !isDecided, let index = trying.firstIndex(of: address) else { return nil }
        isDecided = true
        return Array(trying[..<index])
    }

    mutating func cancel() {
        isDecided = true
    }
}
