internal import PushTime

/// Decides how many connections there should be: one more if notifications wait while all connections are full, fewer if
/// connections are idle. A pure value; time and randomness are arguments.
///
/// In one round trip, a connection carries what its streams and its window allow. On a slow network this is little, and
/// another connection helps. If this machine or the server is the limit, another connection brings nothing and costs a
/// handshake: ``Sample/wouldGain`` distinguishes the two.
struct PoolGrowth: Equatable {
    struct Sample: Equatable {
        var now: MonotonicTime
        /// The number of connections that take requests and on which the server has accepted the credentials.
        var serving: Int
        /// The time since when all of them have been full, without a break, while notifications waited.
        var fullSince: MonotonicTime?
        /// The average time until an answer.
        var answerTime: Duration
        /// Whether another connection would carry more: neither the server nor this machine is the limit.
        var wouldGain: Bool
        var inFlight: Int
        /// The number of notifications that one connection can carry at a time.
        var capacity: Int
    }

    private(set) var minimum: Int
    private(set) var maximum: Int
    /// The minimum that was asked for. While the maximum is smaller, ``minimum`` is that.
    private let defaultMinimum: Int
    /// How long a connection may be unneeded before one is closed. After the same time without any use, all connections
    /// above the minimum are closed.
    let idleTime: Duration

    /// The number of connections that there should be.
    private(set) var wanted: Int
    /// No connection is added before this time, because the last one failed to open.
    private var notBefore = MonotonicTime(nanoseconds: 0)
    /// The number of connections in a row that failed to open.
    private var failures = 0
    /// Whether the last connection that was added does not serve yet.
    private var isOpening = false
    /// When all connections were last needed, and when any connection was last used.
    private var lastNeeded: MonotonicTime?
    private var lastUsed: MonotonicTime?

    /// The minimum time for which all connections must be full before another one opens: a short burst is over before a
    /// new connection can help.
    static let patience: Duration = .milliseconds(200)
    /// The same minimum as a number of average answer times, about what a handshake takes. The longer of the two applies.
    static let patienceInAnswers = 2
    /// The growth of the maximum pauses after connections that failed to open. The actual pause is random, at least a
    /// tenth of the maximum.
    static let rests = ExponentialBackoff(first: .seconds(10), longest: .seconds(600))

    init(minimum: Int, maximum: Int, idleTime: Duration) {
        (self.minimum, defaultMinimum) = (minimum, minimum)
        self.maximum = maximum
        self.idleTime = idleTime
        wanted = minimum
    }

    /// Changes the maximum. Connections above it are not wanted any more.
    mutating func limit(to count: Int) {
        maximum = count
        minimum = min(defaultMinimum, count)
        wanted = min(max(wanted, minimum), maximum)
    }

    /// - Returns: Whether ``wanted`` has changed.
    mutating func observe(_ sample: Sample) -> Bool {
        noteUse(sample)
        if isOpening, sample.serving >= wanted { (isOpening, failures) = (false, 0) }
        let patience = max(Self.patience, sample.answerTime * Self.patienceInAnswers)
        guard let fullSince = sample.fullSince, fullSince.duration(to: sample.now) >= patience else {
            return letGo(sample.now)
        }
        guard wanted < maximum, sample.serving >= wanted, sample.wouldGain, sample.now >= notBefore else {
            return false
        }
        wanted += 1
        isOpening = true
        return true
    }

    /// A further connection failed to open. Continue with the present ones for a while.
    mutating func openingFailed(serving: Int, now: MonotonicTime, chance: Double) {
        guard wanted > max(minimum, serving) else { return }
        wanted = max(minimum, serving)
        isOpening = false
        let longest = Self.rests.pause(after: failures)
        failures += 1
        notBefore = now.advanced(by: max(longest * chance, longest / 10))
    }

    // MARK: Letting go

    private mutating func noteUse(_ sample: Sample) {
        let isNeeded = sample.fullSince != nil || sample.inFlight * 2 > (wanted - 1) * sample.capacity
        if isNeeded || lastNeeded == nil { lastNeeded = sample.now }
        if sample.inFlight > 0 || lastUsed == nil { lastUsed = sample.now }
    }

    private mutating func letGo(_ now: MonotonicTime) -> Bool {
        guard wanted > minimum, let lastNeeded, let lastUsed else { return false }
        if lastUsed.duration(to: now) >= idleTime {
            wanted = minimum
        } else if lastNeeded.duration(to: now) >= idleTime {
            wanted -= 1
        } else {
            return false
        }
        self.lastNeeded = now
        return true
    }

    /// Whether the next connection must wait, because the last one failed to open.
    func isResting(now: MonotonicTime) -> Bool { now < notBefore }

    /// Whether there is nothing to decide until there is something to send again.
    var isAtRest: Bool { wanted == minimum }
}
