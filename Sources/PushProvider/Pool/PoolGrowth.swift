/// How many connections there should be: more where notifications wait while all that there are is full, fewer where they
/// idle. A pure value: samples in, decisions out; time and chance are arguments.
///
/// A connection carries what its streams and its window allow in one round trip; on a distant network that is little, and
/// the remedy is another connection. Where something else is the limit - this machine, or the server - another one brings
/// nothing and costs a handshake. Nobody can tell that beforehand. So it is tried: twice as many as there were, opened one at
/// a time; and where answers do not come faster then, those go again, and the next trial waits longer.
struct PoolGrowth: Equatable {
    /// What was seen of all connections together.
    struct Sample: Equatable {
        var now: MonotonicTime
        /// How many take requests and have shown that the server knows us.
        var serving: Int
        /// Since when all of them have been full, without a break, while something waited.
        var fullSince: MonotonicTime?
        /// How many answers had come since the beginning when connections told of themselves, some time before.
        var answers: Int
        /// When the last of them came. They come in waves, one in each round trip: only from wave to wave they are counted well.
        var counted: MonotonicTime
        /// How long an answer takes, on average.
        var answerTime: Duration
        var inFlight: Int
        /// How many one connection can carry at a time.
        var capacity: Int
    }

    enum Action: Equatable {
        case none
        /// ``wanted`` has risen.
        case grow
        /// ``wanted`` has fallen: the youngest go.
        case shrink
    }

    let minimum: Int
    let maximum: Int
    /// After so long with less to do than fewer connections could, one is let go; after as long with nothing, all that may.
    let idleTime: Duration

    /// How many connections there should be.
    private(set) var wanted: Int
    /// Others than ``wanted`` were tried, and brought nothing: what limits this client is not its connections.
    private(set) var isPlateau = false
    private var stage = Stage.watching
    private var notBefore = MonotonicTime(nanoseconds: 0)
    /// How many trials in a row brought nothing.
    private var failures = 0
    private var history = AnswerHistory()
    /// When as many as there are were last of use, and when any was.
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
        /// All of the goal take requests since.
        var completeSince: MonotonicTime?

        /// The gain that is hoped for, as a part of what there was.
        var hope: Double { Double(goal) / Double(from) - 1 }
    }

    /// How long answers are counted in a trial: they come in waves, one in each round trip, and a small gain is lost in them.
    private static func span(hope: Double, _ sample: Sample) -> Duration {
        max(.milliseconds(500), sample.answerTime * (hope < 0.5 ? 16 : 6))
    }

    /// All connections must have been full for so long, and for so many answers one after the other.
    static let patience: Duration = .milliseconds(200)
    static let patienceInAnswers = 3
    /// The longest pause between two connections of a trial; how much of it is waited is chance.
    static let pauseBetween: Duration = .milliseconds(100)
    /// A trial whose connections do not come about is over then, or after so many answers one after the other.
    static let longestTrial: Duration = .seconds(20)
    static let longestTrialInAnswers = 100
    /// After a trial that brought nothing. How much of it is waited is chance, a tenth at the least.
    static let firstRest: Duration = .seconds(10)
    static let longestRest: Duration = .seconds(600)
    /// How much of the gain that was hoped for makes a trial a success.
    static let enough = 0.1

    init(minimum: Int, maximum: Int, idleTime: Duration) {
        self.minimum = minimum
        self.maximum = maximum
        self.idleTime = idleTime
        wanted = minimum
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

    /// How long fullness has to last before it means anything.
    private static func patience(_ sample: Sample) -> Duration {
        max(patience, sample.answerTime * patienceInAnswers)
    }

    private mutating func watch(_ sample: Sample, _ chance: Double) -> Action {
        // What is full from now on has its first answers a round trip later.
        guard let begun = sample.fullSince?.advanced(by: sample.answerTime),
            begun.duration(to: sample.counted) >= Self.patience(sample)
        else { return letGo(sample) }
        guard wanted < maximum, sample.serving >= wanted, sample.now >= notBefore else { return .none }
        var trial = Trial(
            from: wanted, goal: min(maximum, wanted * 2), rate: 0, begun: sample.now, lastFull: sample.now)
        // A small gain is seen only beside a rate that is known well.
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
        // Enough for what there is to send: nothing else was asked.
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
        // What was on its way when the last one came belongs to neither side.
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
        let longest = min(Self.firstRest * (1 << min(failures, 10)), Self.longestRest)
        failures += 1
        notBefore = now.advanced(by: max(longest * chance, longest / 10))
    }

    /// A further connection did not come about: those that there are go on alone for a while.
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

    /// The next trial has to wait.
    func isResting(now: MonotonicTime) -> Bool { stage == .watching && now < notBefore }

    /// Nothing is to be seen to until there is something to send again.
    var isAtRest: Bool { wanted == minimum && stage == .watching }
}

/// How many answers had come when.
private struct AnswerHistory: Equatable {
    private struct Point: Equatable {
        var time: MonotonicTime
        var answers: Int
    }

    private var points: [Point] = []
    private static let most = 600

    mutating func add(_ sample: PoolGrowth.Sample) {
        if points.count == Self.most { points.removeFirst(Self.most / 2) }
        points.append(Point(time: sample.counted, answers: sample.answers))
    }

    /// Answers per second between two times, as exactly as samples were taken; from no earlier time than asked for.
    func rate(since: MonotonicTime, until: MonotonicTime) -> Double {
        guard let last = points.last(where: { $0.time <= until }),
            let first = points.first(where: { $0.time >= since }), first.time < last.time
        else { return 0 }
        let seconds = Double(first.time.duration(to: last.time).clampedNanoseconds) / 1e9
        return Double(last.answers - first.answers) / seconds
    }
}
