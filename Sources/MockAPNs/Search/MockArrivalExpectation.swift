import APNSVocabulary
internal import PushPlatform

/// What a test expects to arrive at the mock.
///
///     let one = try MockArrivalExpectation(.exactly(1), of: MockArrivalSearch("topic:com.example.app title:Hello"))
///     let result = await mock.check(one, within: .seconds(5))
public struct MockArrivalExpectation: Sendable {
    /// How many requests are expected.
    public enum Amount: Sendable, Hashable {
        /// At least this number. Decided as soon as they have arrived.
        case atLeast(Int)
        /// Exactly this number. Decided as soon as one request too many arrives, or when no other has matched for the settling time.
        case exactly(Int)
        /// At least one for each search, in the order of the searches. Decided as soon as the last one has arrived.
        case inOrder
    }

    /// How many requests are expected.
    public let amount: Amount
    /// The searches: one, except for ``Amount/inOrder``.
    public let searches: [MockArrivalSearch]
    /// Only requests with a higher number count.
    public var after: Int
    /// How long no further request may match before an exact number counts as reached. It begins with the last one that
    /// matches, so the check can take this much longer than the time to wait.
    public var settlingTime: Duration

    /// Creates an expectation about the requests that match a search.
    ///
    /// - Parameters:
    ///   - amount: How many are expected.
    ///   - search: The search. If it has no term about status or reason, only accepted requests count, except that
    ///     `.exactly(0)` counts every request.
    ///   - after: Only requests with a higher number count; 0 for all in the log.
    ///   - settlingTime: For `.exactly`: how long to wait for one too many.
    public init(
        _ amount: Amount, of search: MockArrivalSearch, after: Int = 0, settlingTime: Duration = .milliseconds(500)
    ) {
        self.amount = amount
        searches = [search]
        self.after = after
        self.settlingTime = settlingTime
    }

    /// Creates an expectation about several requests, one after the other.
    ///
    /// - Parameters:
    ///   - searches: The searches, in the expected order of arrival.
    ///   - after: Only requests with a higher number count; 0 for all in the log.
    public init(inOrder searches: [MockArrivalSearch], after: Int = 0) {
        amount = .inOrder
        self.searches = searches
        self.after = after
        settlingTime = .zero
    }
}

extension MockArrivalExpectation {
    /// The result of checking an expectation.
    public struct Result: Sendable {
        /// Whether the expectation was met.
        public let holds: Bool
        /// Why, in a sentence.
        public let explanation: String
        /// The requests that count, oldest first; at most 1000.
        public let matches: [MockArrival]
        /// The number of requests that count.
        public let count: Int
        /// The requests that come closest without matching, best first; at most 5. Empty if the expectation was met.
        package let nearMisses: [MockArrivalExpectation.NearMiss]
    }

    /// A request that does not match a search, and what is different.
    package struct NearMiss: Sendable {
        package struct Difference: Sendable, Hashable {
            package let term: String
            /// What the request has instead; empty for nothing.
            package let found: String
        }

        package let arrival: MockArrival
        package let differences: [Difference]
    }
}

/// Decides whether an expectation is met. It gets requests, and returns a decision. The caller provides the time.
struct ExpectationCheck {
    enum Decision: Equatable {
        case holds
        case fails
        /// Open: it will be decided by a request, or when no other has matched for this time.
        case open(settlesIn: Duration?)
    }

    /// The maximum number of matching requests in the result. Further ones are counted, but not kept.
    private static let maximumMatches = 1000
    /// The maximum number of near misses in the result. Beyond it, only the nearest are kept.
    private static let maximumNearMisses = 5

    let expectation: MockArrivalExpectation
    /// Knows the outcomes of requests on phones.
    private let observer: (any ArrivalObserver)?
    private(set) var count = 0
    private(set) var matches: [MockArrival] = []
    private(set) var matchedNumbers: [Int] = []
    private var nearMisses: [MockArrivalExpectation.NearMiss] = []
    /// For ``MockArrivalExpectation/Amount/inOrder``: how many searches were met.
    private var stage = 0
    /// The number of requests that were dropped from the log before they could be checked.
    private(set) var missed = 0

    init(_ expectation: MockArrivalExpectation, seenBy observer: (any ArrivalObserver)? = nil) {
        self.expectation = expectation
        self.observer = observer
    }

    /// Adds the requests that follow those added before.
    mutating func add(_ arrivals: [MockArrival]) {
        for arrival in arrivals where arrival.number > expectation.after { add(arrival) }
    }

    /// Counts requests that are no longer in the log.
    mutating func miss(_ number: Int) {
        missed += number
    }

    private mutating func add(_ arrival: MockArrival) {
        let index = min(stage, expectation.searches.count - 1)
        guard index >= 0 else { return }
        let search = expectation.searches[index]
        let isCounted = arrival.verdict.isAccepted || countsRejections(search)
        guard isCounted, search.matches(arrival, seenBy: observer) else {
            return consider(arrival, search, isCounted: isCounted)
        }
        if expectation.amount == .inOrder {
            guard stage < expectation.searches.count else { return }
            stage += 1
        }
        count += 1
        matchedNumbers.append(arrival.number)
        if matches.count < Self.maximumMatches { matches.append(arrival) }
    }

    private func countsRejections(_ search: MockArrivalSearch) -> Bool {
        expectation.amount == .exactly(0) || search.mentions(.status, .reason, .outcome)
    }

    private mutating func consider(_ arrival: MockArrival, _ search: MockArrivalSearch, isCounted: Bool) {
        var differences = search.differences(from: arrival, seenBy: observer).map {
            MockArrivalExpectation.NearMiss.Difference(term: $0.term.text, found: $0.found)
        }
        if !isCounted {
            let reason = arrival.verdict.reason.map { " \($0.rawValue)" } ?? ""
            differences.append(.init(term: "accepted", found: "\(arrival.verdict.status)\(reason)"))
        }
        let miss = MockArrivalExpectation.NearMiss(arrival: arrival, differences: differences)
        // The newest first among those that are equally near.
        let index = nearMisses.firstIndex { $0.differences.count >= differences.count } ?? nearMisses.endIndex
        guard index < Self.maximumNearMisses else { return }
        nearMisses.insert(miss, at: index)
        if nearMisses.count > Self.maximumNearMisses { nearMisses.removeLast() }
    }

    var decision: Decision {
        switch expectation.amount {
        case .atLeast(let least): count >= least ? .holds : .open(settlesIn: nil)
        case .inOrder: stage == expectation.searches.count ? .holds : .open(settlesIn: nil)
        case .exactly(let wanted):
            if count > wanted || missed > 0 {
                .fails
            } else {
                .open(settlesIn: count == wanted && wanted > 0 ? expectation.settlingTime : nil)
            }
        }
    }

    /// The decision when the time has passed.
    var isMetAtTheEnd: Bool {
        switch decision {
        case .holds: true
        case .fails: false
        case .open: expectation.amount == .exactly(count)
        }
    }

    /// The result.
    ///
    /// - Parameters:
    ///   - holds: Whether the expectation was met.
    ///   - wait: How long was waited.
    /// - Returns: The result.
    func result(holds: Bool, after wait: Duration) -> MockArrivalExpectation.Result {
        MockArrivalExpectation.Result(
            holds: holds, explanation: explanation(holds, wait), matches: matches, count: count,
            nearMisses: holds ? [] : nearMisses)
    }

    /// The result of a check that ended before it was decided: the expectation is not met.
    func result(endedBy error: MockWaitError) -> MockArrivalExpectation.Result {
        let why = error.code == .stopped ? "the mock was stopped" : "the task was cancelled"
        return MockArrivalExpectation.Result(
            holds: false, explanation: "The check wasn't finished: \(why). \(explanation(false, .zero))",
            matches: matches, count: count, nearMisses: nearMisses)
    }

    private func explanation(_ holds: Bool, _ wait: Duration) -> String {
        let searches = expectation.searches.map { $0.description.isEmpty ? "any request" : $0.description }
        let what = searches.count == 1 ? Finding.quote(searches[0]) : "the searches"
        let arrived = counted(count, "request")
        let within = wait > .zero ? " within \(Self.text(wait))" : ""
        let lost =
            missed > 0
            ? " \(missed) requests were dropped from the log before they could be checked: enlarge the log." : ""
        return switch expectation.amount {
        case .atLeast(let least): "\(arrived) matched \(what)\(within); expected at least \(least).\(lost)"
        case .exactly(0): "\(arrived) matched \(what)\(within); expected none.\(lost)"
        case .exactly(let wanted): "\(arrived) matched \(what)\(within); expected exactly \(wanted).\(lost)"
        case .inOrder where holds: "All \(searches.count) searches matched in order."
        case .inOrder:
            """
            \(stage) of \(searches.count) searches matched in order\(within). The next one is \
            \(Finding.quote(searches[min(stage, searches.count - 1)])).\(lost)
            """
        }
    }

    private static func text(_ wait: Duration) -> String {
        let (seconds, attoseconds) = wait.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds) s" : "\(seconds * 1000 + milliseconds) ms"
    }
}
