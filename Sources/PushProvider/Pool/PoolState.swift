/// Which connections a client has, and when it opens another. A pure value: happenings in, decisions out; time and chance
/// are arguments.
///
/// Connections are opened one at a time, when there is something to send and fewer than the fixed number take requests.
/// One that takes none any more is replaced before it ends.
struct PoolState: Equatable {
    enum Phase: Equatable {
        /// It is being opened. Next: serving, leaving, gone.
        case opening
        /// It takes requests. Next: leaving, gone.
        case serving
        /// It takes none any more; what is in flight may finish. Next: gone.
        case leaving
    }

    /// How many connections are to take requests.
    var size: Int
    private(set) var phases: [Int: Phase] = [:]
    /// How many that have served do so no more, and have no successor yet.
    private var missing = 0
    private(set) var backoff = ReconnectBackoff()
    /// How many connections were begun: the number of the last one.
    private(set) var begun = 0
    private var isWaiting = false
    /// Nothing is sent before, because of the credentials.
    private var haltedUntil: MonotonicTime?
    /// The server has taken this client for who it is, since the start or the last stop.
    private var isAuthenticated = false
    /// The connection whose answer was that the key does not fit it: a later one is asked before the key is given up.
    private var keyFirstRefusedOn: Int?

    init(size: Int) {
        self.size = size
    }

    /// As many as there should be take requests.
    var isFull: Bool { servingCount >= size }
    var isEmpty: Bool { phases.isEmpty }

    // MARK: Opening

    enum Action: Equatable {
        case none
        /// A connection with this number is begun.
        case connect(Int)
        /// The time to ask again.
        case wait(until: MonotonicTime)
    }

    /// Something is to be sent, or may be.
    mutating func next(hasWork: Bool, now: MonotonicTime) -> Action {
        guard hasWork, !isWaiting, !isHalted(now: now), !phases.values.contains(.opening), !isFull else { return .none }
        guard backoff.notBefore <= now else {
            isWaiting = true
            return .wait(until: backoff.notBefore)
        }
        begun += 1
        phases[begun] = .opening
        return .connect(begun)
    }

    mutating func waitIsOver() {
        isWaiting = false
    }

    // MARK: Connections

    /// - Returns: Whether it replaces one that has served.
    @discardableResult
    mutating func opened(_ connection: Int) -> Bool {
        if phases[connection] == .opening { phases[connection] = .serving }
        defer { missing = max(0, missing - 1) }
        return missing > 0
    }

    /// Whether any connection takes requests.
    var isServing: Bool { phases.values.contains(.serving) }

    private var servingCount: Int { phases.values.count { $0 == .serving } }

    /// More take requests than should: these are to leave, the youngest first.
    mutating func takeSurplus() -> [Int] {
        // What is not to be replaced is not missing.
        missing = min(missing, max(0, size - servingCount))
        let serving = phases.filter { $0.value == .serving }.keys.sorted()
        let surplus = Array(serving.dropFirst(size))
        for connection in surplus { phases[connection] = .leaving }
        return surplus
    }

    /// It takes no more requests. One that was of use is missed until another takes its place.
    mutating func stopsTaking(_ connection: Int, wasOfUse: Bool = false) {
        if wasOfUse, phases[connection] == .serving { missing += 1 }
        if phases[connection] != nil { phases[connection] = .leaving }
    }

    /// It is gone. One with `neverServed` has carried nothing, so it needs no successor.
    mutating func ended(
        _ connection: Int, worth: ReconnectBackoff.Worth, neverServed: Bool = true, now: MonotonicTime, chance: Double
    ) {
        guard let phase = phases.removeValue(forKey: connection) else { return }
        if !neverServed, phase == .serving { missing += 1 }
        if worth != .none, let first = keyFirstRefusedOn, connection > first { keyFirstRefusedOn = nil }
        backoff.connectionEnded(worth, now: now, chance: chance)
    }

    // MARK: Credentials

    /// APNs refuses the credentials, whatever is sent.
    mutating func credentialsRefused(now: MonotonicTime) -> CredentialsAction {
        guard !isHalted(now: now) else { return .none }
        haltedUntil = now.advanced(by: RefusalPause.duration)
        keyFirstRefusedOn = nil
        isAuthenticated = false
        return .stop
    }

    /// An answer has shown that the server takes this client for who it is.
    mutating func authenticated() {
        isAuthenticated = true
    }

    /// The newest provider token that can be made was refused as too old. Where no token was ever good, one such answer is enough: the
    /// clock is wrong. Otherwise it may be one odd answer.
    mutating func newestTokenRefused(now: MonotonicTime) -> CredentialsAction {
        isAuthenticated ? .none : credentialsRefused(now: now)
    }

    /// An answer was that the key does not fit the connection: once that may be the connection's fault. Where it had fitted
    /// that connection before, whatever was said before is over.
    mutating func keyRefused(on connection: Int, hadFitted: Bool = false, now: MonotonicTime) -> CredentialsAction {
        guard let first = keyFirstRefusedOn, !hadFitted else {
            keyFirstRefusedOn = connection
            return .none
        }
        return connection > first ? credentialsRefused(now: now) : .none
    }

    /// Nothing may be sent for now.
    func isHalted(now: MonotonicTime) -> Bool {
        haltedUntil.map { now < $0 } ?? false
    }
}
