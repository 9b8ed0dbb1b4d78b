/// The connections of a client, and the decision when to open another. A pure value: events in, decisions out; time and
/// randomness are arguments.
///
/// Connections are opened one at a time, when there is something to send and fewer than the wanted number take
/// requests. A connection that takes no more requests is replaced before it ends.
struct PoolState: Equatable {
    enum Phase: Equatable {
        /// It is opening. Next: serving, leaving, gone.
        case opening
        /// It takes requests. Next: leaving, gone.
        case serving
        /// It takes no more requests; requests in flight may finish. Next: gone.
        case leaving
    }

    /// The number of connections that should take requests.
    var size: Int
    private(set) var phases: ConnectionPhases = [:]
    /// The number of connections that no longer serve and have no successor yet.
    private var missing = 0
    private(set) var backoff = ReconnectBackoff()
    /// The number of connections that were begun, which is also the number of the last one.
    private(set) var begun = 0
    private var isWaiting = false
    /// Nothing is sent before this time, because of the credentials.
    private var haltedUntil: MonotonicTime?
    /// Whether the server has accepted the credentials of this client, since the start or since the last stop.
    private var isAuthenticated = false
    /// The connection on which APNs first answered that the key does not fit it. A later connection must get the same
    /// answer before the key counts as refused.
    private var keyFirstRefusedOn: Int?

    init(size: Int) {
        self.size = size
    }

    /// Whether enough connections take requests.
    var isFull: Bool { servingCount >= size }
    var isEmpty: Bool { phases.isEmpty }

    // MARK: Opening

    enum Action: Equatable {
        case none
        case connect(Int)
        /// Call `next` again at this time.
        case wait(until: MonotonicTime)
    }

    mutating func next(hasWork: Bool, now: MonotonicTime) -> Action {
        guard hasWork, !isWaiting, !isHalted(now: now), phases.count(.opening) == 0, !isFull else { return .none }
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

    /// - Returns: Whether the connection replaces one that has served.
    @discardableResult
    mutating func opened(_ connection: Int) -> Bool {
        if phases[connection] == .opening { phases[connection] = .serving }
        defer { missing = max(0, missing - 1) }
        return missing > 0
    }

    var isServing: Bool { servingCount > 0 }

    private var servingCount: Int { phases.count(.serving) }

    /// Returns the connections above the wanted number, the youngest first. They must leave.
    mutating func takeSurplus() -> [Int] {
        // A connection that needs no successor is not missing.
        missing = min(missing, max(0, size - servingCount))
        let surplus = Array(phases.numbers(in: .serving).dropFirst(size))
        for connection in surplus { phases[connection] = .leaving }
        return surplus
    }

    /// Marks a connection that takes no more requests. If it was useful, it is missing until another one replaces it.
    mutating func stopsTaking(_ connection: Int, wasOfUse: Bool = false) {
        if wasOfUse, phases[connection] == .serving { missing += 1 }
        if phases[connection] != nil { phases[connection] = .leaving }
    }

    struct CloseAction: Equatable {
        enum Report: Equatable {
            case none
            case ended
            /// The failure of a connection that was of no use, which is the last known reason why nothing can be sent.
            case failed(beforeOpening: Bool)
        }

        /// How its failure is reported.
        var report = Report.none
        /// Whether it counts as a connection that failed to open while others serve. Then the pool does not grow now.
        var isFailedGrowth = false
        /// Whether the notifications in the queue get its failure as their outcome.
        var failsQueue = false
    }

    /// Handles the end of a connection. After a temporary failure, `retriesConnecting` says whether the notifications in
    /// the queue wait for another connection.
    mutating func closed(
        _ connection: Int, _ ending: ConnectionEnding, retriesConnecting: Bool, now: MonotonicTime, chance: Double
    ) -> CloseAction {
        let hadOpened = phases[connection] != .opening
        ended(
            connection, use: ending.use, neverServed: ending.neverServed, now: now, chance: chance)
        var action = CloseAction()
        // A connection that the server closes at once counts like one that failed to open.
        action.isFailedGrowth = isServing && (!hadOpened || ending.use == .none)
        guard let failure = ending.failure else { return action }
        guard ending.neverServed || failure.isAboutCredentials else {
            action.report = .ended
            return action
        }
        action.report = .failed(beforeOpening: !hadOpened)
        // If another connection serves, this failure loses nothing.
        action.failsQueue = !isServing && !(failure.isPassing && retriesConnecting)
        return action
    }

    /// Removes a connection that has ended. One with `neverServed` carried nothing and needs no successor.
    mutating func ended(
        _ connection: Int, use: ReconnectBackoff.ConnectionUse, neverServed: Bool = true, now: MonotonicTime,
        chance: Double
    ) {
        guard let phase = phases[connection] else { return }
        phases[connection] = nil
        if !neverServed, phase == .serving { missing += 1 }
        if use != .none, let first = keyFirstRefusedOn, connection > first { keyFirstRefusedOn = nil }
        backoff.connectionEnded(use, now: now, chance: chance)
    }

    // MARK: Credentials

    mutating func credentialsRefused(now: MonotonicTime) -> CredentialsAction {
        guard !isHalted(now: now) else { return .none }
        haltedUntil = now.advanced(by: RefusalPause.duration)
        keyFirstRefusedOn = nil
        isAuthenticated = false
        return .stop
    }

    /// An answer has shown that the server accepts the credentials.
    mutating func authenticated() {
        isAuthenticated = true
    }

    /// The newest possible provider token was refused as too old. If no token was ever accepted, one such answer is
    /// enough: the clock is wrong. Otherwise it may be a single wrong answer.
    mutating func newestTokenRefused(now: MonotonicTime) -> CredentialsAction {
        isAuthenticated ? .none : credentialsRefused(now: now)
    }

    /// APNs answered that the key does not fit the connection. The first such answer may be the fault of the
    /// connection. If the key fitted this connection before, earlier answers no longer count.
    mutating func keyRefused(on connection: Int, hadFitted: Bool = false, now: MonotonicTime) -> CredentialsAction {
        guard let first = keyFirstRefusedOn, !hadFitted else {
            keyFirstRefusedOn = connection
            return .none
        }
        return connection > first ? credentialsRefused(now: now) : .none
    }

    func isHalted(now: MonotonicTime) -> Bool {
        haltedUntil.map { now < $0 } ?? false
    }
}

/// The phase of each connection of a pool, by its number.
///
/// A pool has few connections, so this is an array. The first dictionary of a kind also makes the program search all of its
/// types, which takes longer than all lookups of a single push.
struct ConnectionPhases: Equatable, ExpressibleByDictionaryLiteral {
    private struct Entry: Equatable {
        let number: Int
        var phase: PoolState.Phase
    }

    /// Ordered by number: a new connection always has the highest one.
    private var entries: [Entry] = []

    init(dictionaryLiteral elements: (Int, PoolState.Phase)...) {
        for (number, phase) in elements { self[number] = phase }
    }

    /// The phase of a connection. `nil` removes the connection.
    subscript(_ number: Int) -> PoolState.Phase? {
        get { entries.first { $0.number == number }?.phase }
        set {
            let index = entries.firstIndex { $0.number == number }
            switch (index, newValue) {
            case (let index?, let phase?): entries[index].phase = phase
            case (let index?, nil): entries.remove(at: index)
            case (nil, let phase?): entries.append(Entry(number: number, phase: phase))
            case (nil, nil): break
            }
        }
    }

    /// The numbers of all connections, in ascending order.
    var numbers: [Int] { entries.map(\.number) }

    var isEmpty: Bool { entries.isEmpty }

    func count(_ phase: PoolState.Phase) -> Int { entries.count { $0.phase == phase } }

    /// The numbers of the connections in this phase, in ascending order.
    func numbers(in phase: PoolState.Phase) -> [Int] { entries.filter { $0.phase == phase }.map(\.number) }
}
