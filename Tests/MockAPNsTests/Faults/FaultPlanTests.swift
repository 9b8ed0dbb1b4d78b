import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct FaultPlanTests {
    @Test func `a reset forgets faults that act and faults that have ended, and numbers go on`() {
        var plan = FaultPlan(seed: 1)
        let ended = plan.insert(MockFault(steps: [.judge]))
        _ = plan.insert(MockFault(steps: [.judge]))
        if let ended { plan.remove(ended) }
        #expect(plan.counts.count == 2)
        plan.reset()
        #expect(plan.counts.isEmpty && plan.isEmpty)
        #expect(plan.insert(MockFault(steps: [.judge]))?.number == 3)
    }

    private static func request(
        _ number: Int = 1, connection: Int = 1, onConnection: Int? = nil, token: String = "ab", topic: String? = "app",
        type: PushType? = .alert
    ) -> FaultEvent {
        FaultEvent(
            moment: .request, connection: connection,
            request: .init(
                number: number, numberOnConnection: onConnection ?? number, deviceToken: token, topic: topic,
                pushType: type))
    }

    /// The numbers of the requests, from 1, on which a fault acts.
    private static func hits(
        _ matcher: MockFault.Matcher, times: Int? = nil, seed: UInt64 = 1, of count: Int = 20
    ) -> [Int] {
        var plan = FaultPlan(seed: seed)
        _ = plan.insert(MockFault(when: matcher, steps: [.noAnswer], times: times))
        return (1...count).filter { plan.order(for: request($0)) != nil }
    }

    @Test func `without a condition it always acts`() {
        #expect(Self.hits(MockFault.Matcher(), of: 3) == [1, 2, 3])
    }

    private static let ordinals: [(MockFault.Ordinal, [Int])] = [
        (.exactly(5), [5]), (5, [5]), (.within(2...4), [2, 3, 4]), (.every(6), [6, 12, 18]),
        (MockFault.Ordinal(from: 18), [18, 19, 20]), (MockFault.Ordinal(from: 3, through: 10, step: 4), [3, 7]),
    ]

    @Test(arguments: ordinals)
    func `it acts on the requests with these numbers`(ordinal: MockFault.Ordinal, numbers: [Int]) {
        #expect(Self.hits(MockFault.Matcher(request: ordinal)) == numbers)
        #expect(Self.hits(MockFault.Matcher(requestOnConnection: ordinal)) == numbers)
        #expect(Self.hits(MockFault.Matcher(match: ordinal)) == numbers)
    }

    @Test func `the numbers of the mock and of the connection are two things`() {
        var plan = FaultPlan(seed: 1)
        _ = plan.insert(MockFault(when: MockFault.Matcher(requestOnConnection: 2), steps: [.noAnswer]))
        #expect(plan.order(for: Self.request(2, connection: 2, onConnection: 1)) == nil)
        #expect(plan.order(for: Self.request(3, connection: 2, onConnection: 2)) != nil)
    }

    @Test func `a fault acts the given number of times, and then ends`() {
        #expect(Self.hits(MockFault.Matcher(), times: 3) == [1, 2, 3])
        #expect(Self.hits(MockFault.Matcher(request: .every(2)), times: 2) == [2, 4])
    }

    @Test func `each condition alone, and all together`() throws {
        let token = try DeviceToken("ABcd")
        let matcher = MockFault.Matcher(
            deviceToken: token, topic: "com.example.app", pushType: .voip, request: 7, requestOnConnection: 3,
            connection: 2)
        let fitting = Self.request(
            7, connection: 2, onConnection: 3, token: "abCD", topic: "com.example.app", type: .voip)
        #expect(matcher.fits(fitting))
        let others: [(inout FaultEvent) -> Void] = [
            { $0.request?.deviceToken = "abce" }, { $0.request?.topic = "other" }, { $0.request?.topic = nil },
            { $0.request?.pushType = .alert }, { $0.request?.pushType = nil }, { $0.request?.number = 8 },
            { $0.request?.numberOnConnection = 4 }, { $0.connection = 1 }, { $0.request = nil },
        ]
        for spoil in others {
            var other = fitting
            spoil(&other)
            #expect(!matcher.fits(other))
        }
    }

    @Test func `match counts what fits the other conditions, from the injection on`() {
        var plan = FaultPlan(seed: 1)
        _ = plan.insert(MockFault(when: MockFault.Matcher(topic: "wanted", match: 2), steps: [.noAnswer]))
        let topics = ["other", "wanted", "other", "wanted", "wanted"]
        let hits = topics.enumerated().filter { plan.order(for: Self.request($0.offset + 1, topic: $0.element)) != nil }
        #expect(hits.map(\.offset) == [3])
    }

    @Test func `the first that fits acts, and alone`() throws {
        var plan = FaultPlan(seed: 1)
        let first = try plan.add(MockFault(name: "first", steps: [.noAnswer], times: 1))
        let second = try plan.add(MockFault(name: "second", steps: [.judge], times: 1))
        let order = plan.order(for: Self.request(1))
        #expect(order?.mark == MockFault.Mark(id: first, name: "first"))
        #expect(order?.steps == [.noAnswer])
        #expect(plan.order(for: Self.request(2))?.mark == MockFault.Mark(id: second, name: "second"))
        #expect(plan.order(for: Self.request(3)) == nil)
        #expect(plan.isEmpty)
    }

    @Test func `a fault of one moment leaves the others alone`() {
        var plan = FaultPlan(seed: 1)
        _ = plan.insert(MockFault(at: .connectionAccepted, steps: [.noAnswer]))
        #expect(plan.order(for: Self.request()) == nil)
        #expect(plan.order(for: FaultEvent(moment: .connectionEstablished, connection: 1)) == nil)
        #expect(plan.order(for: FaultEvent(moment: .connectionAccepted, connection: 1)) != nil)
    }

    @Test func `faults are counted, those that are over and those that were removed too`() throws {
        var plan = FaultPlan(seed: 1)
        let once = try plan.add(MockFault(name: "once", steps: [.noAnswer], times: 1))
        let always = try plan.add(MockFault(name: "always", steps: [.noAnswer]))
        let never = try plan.add(MockFault(name: "never", steps: [.noAnswer]))
        for number in 1...3 { _ = plan.order(for: Self.request(number)) }
        let removed = [plan.remove(never), plan.remove(never), plan.remove(once)]
        #expect(removed == [true, false, false])
        #expect(
            plan.counts == [
                MockFault.Count(id: once, name: "once", applied: 1, isActive: false),
                MockFault.Count(id: always, name: "always", applied: 2, isActive: true),
                MockFault.Count(id: never, name: "never", applied: 0, isActive: false),
            ])
        plan.removeAll()
        #expect(plan.isEmpty)
        #expect(plan.order(for: Self.request()) == nil)
    }

    @Test func `the counts of those that are over are bounded`() throws {
        var plan = FaultPlan(seed: 1)
        for _ in 1...(FaultPlan.maximumKeptCounts + 10) { plan.remove(try plan.add(MockFault(steps: [.noAnswer]))) }
        #expect(plan.counts.count == FaultPlan.maximumKeptCounts)
        #expect(plan.counts.first?.id.number == 11)
    }

    @Test func `faults are bounded in bytes, and whatever ends them makes room`() throws {
        var plan = FaultPlan(seed: 1)
        let text = String(repeating: "x", count: FaultPlan.maximumBytes / 2)
        let large = MockFault(steps: [.answer(status: 200, body: .text(text))], times: 1)
        let first = try plan.add(large)
        #expect(plan.insert(large) == nil)
        plan.remove(first)
        _ = try plan.add(large)
        #expect(plan.order(for: Self.request()) != nil)
        _ = try plan.add(large)
        plan.removeAll()
        _ = try plan.add(large)
        plan.reset()
        _ = try plan.add(large)
        #expect(plan.insert(large) == nil)
    }

    // MARK: Chance

    @Test func `one seed decides in one way, another in another`() {
        let matcher = MockFault.Matcher(probability: 0.3)
        let hits = Self.hits(matcher, seed: 7, of: 200)
        #expect(hits == Self.hits(matcher, seed: 7, of: 200))
        #expect(hits != Self.hits(matcher, seed: 8, of: 200))
    }

    @Test func `what the seed decides is the same from version to version`() {
        #expect(Self.hits(MockFault.Matcher(probability: 0.3), seed: 1) == [1, 3, 5, 9, 10, 19])
        #expect(FaultDice.mixed(0) == 0xE220_A839_7B1D_CDAF)
    }

    @Test(arguments: [0.0, 0.1, 0.5, 0.9, 1.0])
    func `a probability holds over many requests`(probability: Double) {
        let share = Double(Self.hits(MockFault.Matcher(probability: probability), of: 20_000).count) / 20_000
        #expect(abs(share - probability) < 0.015)
        if probability == 0 || probability == 1 { #expect(share == probability) }
    }

    @Test func `chance depends on the place of a request, not on the order of requests`() {
        var forwards = FaultPlan(seed: 3)
        var backwards = FaultPlan(seed: 3)
        let fault = MockFault(when: MockFault.Matcher(probability: 0.5), steps: [.noAnswer])
        _ = forwards.insert(fault)
        _ = backwards.insert(fault)
        let requests = (1...40).map { Self.request($0, connection: $0 % 4 + 1, onConnection: $0 / 4 + 1) }
        let one = requests.map { forwards.order(for: $0) != nil }
        let other = requests.reversed().map { backwards.order(for: $0) != nil }
        #expect(one == other.reversed())
        #expect(one.contains(true) && one.contains(false))
    }
}

extension FaultPlan {
    /// Adds a fault to a plan that is not full.
    fileprivate mutating func add(_ fault: MockFault) throws -> MockFault.ID {
        let id = insert(fault)
        return try #require(id)
    }
}
