internal import PushTime

/// Decides how many connections there should be: more if notifications wait while all connections are full, fewer if
/// connections are idle. A pure value; time and randomness are arguments.
///
/// In one round trip, a connection carries what its streams and its window allow. On a slow network this is little, and
/// another connection helps. If this machine or the server is the limit, another connection brings nothing and costs a
/// handshake. It is impossible to know which case applies, so the pool tries: it doubles the number of connections, one
/// at a time. If the answers do not come faster, it closes the new connections, and waits longer before the next trial.
struct PoolGrowth: Equatable {
    /// The measurements of all connections together.
    struct Sample: Equatable {
        var now: MonotonicTime
        /// The number of connections that take requests and on which the server has accepted the credentials.
        var serving: Int
        /// The time since when all of them have been full, without a break, while notifications waited.
        var fullSince: MonotonicTime?
        /// The number of answers from the beginning until the last reports of the connections, which are a little older
        /// than `now`.
        var answers: Int
        /// When the last of these answers arrived. Answers arrive in waves, one wave per round trip, so only counts
        /// from wave to wave are exact.
        var counted: MonotonicTime
        /// The average time until an answer.
        var answerTime: Duration
        var inFlight: Int
        /// The number of notifications that one connection can carry at a time.
        var capacity: Int
    }

    enum Action: Equatable {
        case none
        /// ``wanted`` has risen.
        case grow
        /// ``wanted`` has fallen: close the youngest connections.
        case shrink
    }

    private(set) var minimum: Int
    private(set) var maximum: Int
    /// The minimum that was asked for. While the maximum is smaller, ``minimum`` is that.
    private let usualMinimum: Int
    /// How long a connection may be unneeded before one is closed. After the same time without any use, all connections
    /// above the minimum are closed.
    let idleTime: Duration

    /// The number of connections that there should be.
    private(set) var wanted: Int
    /// Whether more connections than ``wanted`` were tried without a gain: the number of connections is not the limit
    /// of this client.
    private(set) var isPlateau = false
    private var stage = Stage.watching
    private var notBefore = MonotonicTime(nanoseconds: 0)
    /// The number of trials in a row without a gain.
    private var failures = 0
    private var history = AnswerHistory()
    /// When all connections were last needed, and when any connection was last used.
    private var lastNeeded: MonotonicTime?
    private var lastUsed: MonotonicTime?

    private enum Stage: Equatable {
        case watching
        case trying(Trial)
    }

    private struct Trial: Equatable {
        var from: Int
        var goal: Int
        /// Answers per second with `from`.
        var rate: Double
        var begun: MonotonicTime
        var lastFull: MonotonicTime
        /// The time since when all connections of the goal take requests.
        var completeSince: MonotonicTime?

        /// The best possible gain, as a share of the rate before.
        var hope: Double { Double(goal) / Double(from) - 1 }
    }

    /// How long a trial counts answers. They arrive in waves, one per round trip, and a short count hides a small gain.
    private static func span(hope: Double, _ sample: Sample) -> Duration {
        max(.milliseconds(500), sample.answerTime * (hope < 0.5 ? 16 : 6))
    }

    /// The minimum time for which all connections must be full before a trial begins.
    static let patience: Duration = .milliseconds(200)
    /// The same minimum as a number of average answer times. The longer of the two applies.
    static let patienceInAnswers = 3
    /// The maximum pause between two connections of a trial. The actual pause is random.
    static let pauseBetween: Duration = .milliseconds(100)
    /// The maximum length of a trial whose connections do not open. After it, the trial ends without a gain.
    static let longestTrial: Duration = .seconds(20)
    /// The same maximum as a number of average answer times. The longer of the two applies.
    static let longestTrialInAnswers = 100
    /// The growth of the maximum pauses after trials without a gain. The actual pause is random, at least a tenth of the
    /// maximum.
    static let rests = ExponentialBackoff(first: .seconds(10), longest: .seconds(600))
    /// The share of the best possible gain that makes a trial a success.
    static let enough = 0.1

    init(minimum: Int, maximum: Int, idleTime: Duration) {
        (self.minimum, usualMinimum) = (minimum, minimum)
        self.maximum = maximum
        self.idleTime = idleTime
        wanted = minimum
    }

    /// Changes the maximum. Connections above it are not wanted any more.
    mutating func limit(to most: Int) {
        maximum = most
        minimum = min(usualMinimum, most)
        wanted = min(max(wanted, minimum), maximum)
        // A trial that cannot reach its goal has no result.
        if case .trying(let trial) = stage, trial.goal > maximum { stage = .watching }
    }

    // MARK: Samples

    mutating func observe(_ sample: Sample, chance: Double) -> Action {
        history.add(sample)
        noteUse(sample)
        switch stage {
        case .watching: return watch(sample, chance)
        case .trying(let trial): return `try`(trial, sample, chance)
        }
    }

    /// Returns how long all connections must be full before it counts.
    private static func patience(_ sample: Sample) -> Duration {
        max(patience, sample.answerTime * patienceInAnswers)
    }

    private mutating func watch(_ sample: Sample, _ chance: Double) -> Action {
        // Connections that are full from now on have their first answers one round trip later.
        guard let begun = sample.fullSince?.advanced(by: sample.answerTime),
            begun.duration(to: sample.counted) >= Self.patience(sample)
        else { return letGo(sample) }
        guard wanted < maximum, sample.serving >= wanted, sample.now >= notBefore else { return .none }
        var trial = Trial(
            from: wanted, goal: min(maximum, wanted * 2), rate: 0, begun: sample.now, lastFull: sample.now)
        // A small gain is visible only if the rate before is known well.
        guard trial.hope >= 0.5 || begun.duration(to: sample.counted) >= Self.span(hope: trial.hope, sample) else {
            return .none
        }
        trial.rate = history.rate(since: begun, until: sample.counted)
        stage = .trying(trial)
        return grow(sample.now, chance)
    }

    private mutating func grow(_ now: MonotonicTime, _ chance: Double) -> Action {
        wanted += 1
        notBefore = now.advanced(by: Self.pauseBetween * chance)
        return .grow
    }

    private mutating func `try`(_ before: Trial, _ sample: Sample, _ chance: Double) -> Action {
        var trial = before
        let now = sample.now
        if sample.fullSince != nil { trial.lastFull = now }
        // The connections are enough for the load: the trial has no result.
        guard trial.lastFull.duration(to: now) < Self.patience(sample) * 2 else {
            stage = .watching
            return .none
        }
        guard sample.serving >= wanted else {
            let longest = max(Self.longestTrial, sample.answerTime * Self.longestTrialInAnswers)
            if trial.begun.duration(to: now) > longest {
                openingFailed(serving: sample.serving, now: now, chance: chance)
                return .shrink
            }
            trial.completeSince = nil
            stage = .trying(trial)
            return .none
        }
        guard wanted == trial.goal else {
            stage = .trying(trial)
            return now >= notBefore && sample.fullSince != nil ? grow(now, chance) : .none
        }
        // Answers to requests that were in flight when the last connection opened do not count.
        let settled = trial.completeSince ?? now.advanced(by: sample.answerTime * 2)
        trial.completeSince = settled
        stage = .trying(trial)
        guard settled < now, settled.duration(to: sample.counted) >= Self.span(hope: trial.hope, sample) else {
            return .none
        }
        return judge(trial, rate: history.rate(since: settled, until: sample.counted), now, chance)
    }

    private mutating func judge(_ trial: Trial, rate: Double, _ now: MonotonicTime, _ chance: Double) -> Action {
        stage = .watching
        guard rate < trial.rate * (1 + trial.hope * Self.enough) else {
            failures = 0
            isPlateau = false
            notBefore = now.advanced(by: Self.pauseBetween * chance)
            return .none
        }
        isPlateau = true
        rest(now, chance)
        wanted = trial.from
        return .shrink
    }

    private mutating func rest(_ now: MonotonicTime, _ chance: Double) {
        let longest = Self.rests.pause(after: failures)
        failures += 1
        notBefore = now.advanced(by: max(longest * chance, longest / 10))
    }

    /// A further connection failed to open. Continue with the present ones for a while.
    mutating func openingFailed(serving: Int, now: MonotonicTime, chance: Double) {
        guard wanted > max(minimum, serving) else { return }
        wanted = max(minimum, serving)
        stage = .watching
        rest(now, chance)
    }

    // MARK: Letting go

    private mutating func noteUse(_ sample: Sample) {
        let isNeeded = sample.fullSince != nil || sample.inFlight * 2 > (wanted - 1) * sample.capacity
        if isNeeded || lastNeeded == nil { lastNeeded = sample.now }
        if sample.inFlight > 0 || lastUsed == nil { lastUsed = sample.now }
    }

    private mutating func letGo(_ sample: Sample) -> Action {
        guard wanted > minimum, let lastNeeded, let lastUsed else { return .none }
        if lastUsed.duration(to: sample.now) >= idleTime {
            wanted = minimum
        } else if lastNeeded.duration(to: sample.now) >= idleTime {
            wanted -= 1
        } else {
            return .none
        }
        self.lastNeeded = sample.now
        isPlateau = false
        return .shrink
    }

    /// Whether the next trial must wait.
    func isResting(now: MonotonicTime) -> Bool { stage == .watching && now < notBefore }

    /// Whether there is nothing to decide until there is something to send again.
    var isAtRest: Bool { wanted == minimum && stage == .watching }
}

/// The number of answers over time.
struct AnswerHistory: Equatable {
    private struct Point: Equatable {
        var time: MonotonicTime
        var answers: Int
    }

    private var points: [Point] = []
    /// The maximum number of points. When it is reached, the older half is dropped.
    private static let most = 600

    mutating func add(_ sample: PoolGrowth.Sample) {
        if points.count == Self.most { points.removeFirst(Self.most / 2) }
        points.append(Point(time: sample.counted, answers: sample.answers))
    }

    /// Returns the answers per second between two times, as exactly as the samples allow. The first sample is not
    /// earlier than `since`.
    func rate(since: MonotonicTime, until: MonotonicTime) -> Double {
        guard let last = points.last(where: { $0.time <= until }),
            let first = points.first(where: { $0.time >= since }), first.time < last.time
        else { return 0 }
        let seconds = Double(first.time.duration(to: last.time).clampedNanoseconds) / 1e9
        return Double(last.answers - first.answers) / seconds
    }
}
