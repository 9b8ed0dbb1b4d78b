/// Observes the connections of a pool a few times per second, and decides about their number. A pure value: reports of
/// connections in, decisions out; time and randomness are arguments.
struct PoolWatch {
    /// The time between two checks of the connections while notifications wait or are in flight.
    static let pause: Duration = .milliseconds(100)
    /// The time between two checks while the client is idle.
    static let idlePause: Duration = .seconds(1)
    /// The busy share of a thread, 0 to 1, from which this machine is the limit.
    static let fullyBusy = 0.75
    /// The answer time, in shortest answer times, above which the server or the network is the limit. Full connections to
    /// a server with time to spare answer within a round trip; where the server is the limit, each further connection
    /// lengthens the wait by as much as it adds to what is in flight. It is 3 because the answers of a server that is not
    /// busy vary, too.
    static let plateauRatio = 3

    var growth: PoolGrowth
    private(set) var statistics: [Int: ConnectionStatistics] = [:]
    private var slow = SlowConnections()
    private var answersOfGone = 0
    /// Whether the next connection must wait, because the last one failed to open.
    private(set) var isResting = false
    /// The time since when the queue was not empty at any check.
    private var waitingSince: MonotonicTime?
    private var rate = RecentRate()
    private var recentlyInFlight: [Int] = []
    private var busiest = BusiestLoop()

    init(growth: PoolGrowth) {
        self.growth = growth
    }

    // MARK: In

    mutating func received(_ news: ConnectionStatistics) {
        statistics[news.number] = news
    }

    mutating func ended(_ number: Int) {
        answersOfGone += statistics.removeValue(forKey: number)?.pace.answers ?? 0
    }

    // MARK: Out

    struct Decision: Equatable {
        /// Whether the wanted number has changed: ``PoolGrowth/wanted``.
        var isResized = false
        /// A connection that must be replaced because it is much slower than the others.
        var retired: Int?
        /// Whether nothing is in flight and nothing waits.
        var isIdle = false
        /// Whether, in addition, there is nothing to decide until something is sent.
        var isAtRest = false
    }

    mutating func check(queued: Int, now: MonotonicTime) -> Decision {
        waitingSince = queued > 0 ? waitingSince ?? now : nil
        let latest = statistics.values.map(\.time).max() ?? now
        rate.add(answers, at: latest)
        busiest.add(statistics.values, at: latest)
        recentlyInFlight = recentlyInFlight.suffix(9) + [inFlight]
        let isResized = growth.observe(
            PoolGrowth.Sample(
                now: now, serving: serving.count, fullSince: fullSince, answerTime: answerTime,
                wouldGain: !isPlateau && busyShare < Self.fullyBusy, inFlight: inFlight,
                capacity: serving.map(\.capacity).min() ?? 1))
        isResting = growth.isResting(now: now)
        let isIdle = queued == 0 && inFlight == 0
        return Decision(
            isResized: isResized, retired: slow.observe(Array(statistics.values), now: now), isIdle: isIdle,
            isAtRest: isIdle && growth.isAtRest)
    }

    // MARK: Measurements

    var serving: [ConnectionStatistics] { statistics.values.filter(\.isServing) }
    var answers: Int { statistics.values.reduce(answersOfGone) { $0 + $1.pace.answers } }
    var inFlight: Int { statistics.values.reduce(0) { $0 + $1.inFlight } }
    var answersPerSecond: Double { rate.perSecond }
    /// The share of its time that the busiest thread works for connections, 0 to 1.
    var busyShare: Double { busiest.share }

    /// Whether a connection waits for the first answer that shows that the server accepts the credentials.
    var awaitsAuthentication: Bool { statistics.values.contains { $0.pace.limit == .authentication } }

    /// Whether answers take so long that they wait at the server or in the network: another connection would only
    /// lengthen the wait.
    var isPlateau: Bool {
        guard let shortest else { return false }
        return answerTime > shortest * Self.plateauRatio
    }

    /// The shortest answer time that a serving connection has had, usually with little in flight: about the round trip.
    var shortest: Duration? { serving.compactMap(\.pace.shortestAnswerTime).min() }

    /// Whether the number in flight was never zero and about the same at each recent check: the sender waits for
    /// answers.
    var isSteady: Bool {
        guard recentlyInFlight.count >= 5, let maximum = recentlyInFlight.max(), let least = recentlyInFlight.min()
        else {
            return false
        }
        return least > 0 && least * 10 >= maximum * 8
    }

    /// The average answer time of the connections.
    var answerTime: Duration {
        let times = serving.filter { $0.pace.answers > 0 }.map(\.pace.answerTime)
        return times.isEmpty ? .zero : times.reduce(.zero, +) / times.count
    }

    /// The time since when all serving connections have been full while notifications waited.
    private var fullSince: MonotonicTime? {
        guard var since = waitingSince, !serving.isEmpty else { return nil }
        for connection in serving {
            guard connection.pace.limit?.isEndedByMoreConnections ?? false, let full = connection.pace.fullSince else {
                return nil
            }
            since = max(since, full)
        }
        return since
    }

    /// Returns the number of notifications that a sequence is read ahead: twice what the connections can carry.
    func readAhead(streamsPerConnection: Int) -> Int {
        let carried = serving.reduce(0) { $0 + $1.capacity }
        return max(carried, min(streamsPerConnection, 500)) * 2
    }
}

/// The answers per second, over about the last second.
private struct RecentRate {
    private var points: [(time: MonotonicTime, answers: Int)] = []

    mutating func add(_ answers: Int, at now: MonotonicTime) {
        guard points.last.map({ $0.time < now }) ?? true else { return }
        points.append((now, answers))
        if points.count > 11 { points.removeFirst() }
        // After a pause, there is nothing to compare with.
        if let last = points.dropLast().last, last.time.duration(to: now) > .seconds(2) { points = [(now, answers)] }
    }

    var perSecond: Double {
        guard let first = points.first, let last = points.last, first.time < last.time else { return 0 }
        return Double(last.answers - first.answers) * 1e9
            / Double(first.time.duration(to: last.time).clampedNanoseconds)
    }
}

/// The share of its time that the busiest thread works for connections.
private struct BusiestLoop {
    private(set) var share = 0.0
    private var before: [Int: Duration] = [:]
    private var time = MonotonicTime(nanoseconds: 0)

    mutating func add(_ statistics: some Sequence<ConnectionStatistics>, at now: MonotonicTime) {
        guard time < now else { return }
        var perLoop: [Int: Duration] = [:]
        var busy: [Int: Duration] = [:]
        for connection in statistics {
            busy[connection.number] = connection.pace.busy
            perLoop[connection.loop, default: .zero] += connection.pace.busy - (before[connection.number] ?? .zero)
        }
        let passed = Double(time.duration(to: now).clampedNanoseconds)
        let maximum = Double((perLoop.values.max() ?? .zero).clampedNanoseconds)
        share = passed > 0 ? (share + min(1, maximum / passed)) / 2 : 0
        before = busy
        time = now
    }
}
