/// Which addresses of a name are connected to, and when: Happy Eyeballs (RFC 8305 section 5). A pure value: happenings in,
/// decisions out; time is an argument.
///
/// One address after the other, each as soon as the one before it has failed or has had its head start; the first that answers
/// wins.
struct AddressRace: Equatable {
    /// The head start of each address: what RFC 8305 section 8 recommends.
    static let usualHeadStart: Duration = .milliseconds(250)
    /// A name with more does not get more sockets.
    static let mostAddresses = 32

    private let headStart: Duration
    /// Not tried yet.
    private var waiting: ArraySlice<NetworkAddress>
    /// Asked, without an answer, in the order in which they were.
    private(set) var trying: [NetworkAddress] = []
    /// One has answered, or the race was called off.
    private var isDecided = false

    init(_ addresses: [NetworkAddress], headStart: Duration = Self.usualHeadStart) {
        self.headStart = headStart
        waiting = addresses.prefix(Self.mostAddresses)
    }

    enum Action: Equatable {
        case none
        /// Connect to it. At `next` its head start is over; `nil` where no other is left.
        case connect(NetworkAddress, next: MonotonicTime?)
        /// All have failed.
        case giveUp
    }

    mutating func begin(now: MonotonicTime) -> Action {
        advance(now)
    }

    /// The last one has had its head start.
    mutating func headStartIsOver(now: MonotonicTime) -> Action {
        advance(now)
    }

    /// An address has failed.
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
    /// - Returns: Those that had their head start and have not answered yet; `nil` when another one has won.
    mutating func connected(_ address: NetworkAddress) -> [NetworkAddress]? {
        guard !isDecided, let index = trying.firstIndex(of: address) else { return nil }
        isDecided = true
        return Array(trying[..<index])
    }

    /// Nobody wants it to go on.
    mutating func callOff() {
        isDecided = true
    }
}
