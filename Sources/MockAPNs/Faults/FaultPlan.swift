internal import DequeModule
internal import NIOConcurrencyHelpers
internal import PushWire

/// The steps to execute for one event, and the random numbers for their waits.
struct FaultOrder: Equatable, Sendable {
    var mark: MockFault.Mark
    var steps: [MockFault.Step]
    var randomNumbers: FaultRandomNumbers
}

/// The faults of a mock. Decides which fault acts at an event.
struct FaultPlan: Sendable {
    private struct Entry {
        var id: MockFault.ID
        var fault: MockFault
        var bytes: Int
        /// The number of events that met the conditions so far.
        var fitted = 0
        var applied = 0

        func count(isActive: Bool) -> MockFault.Count {
            MockFault.Count(id: id, name: fault.name, applied: applied, isActive: isActive)
        }
    }

    /// The maximum number of ended faults whose counts are kept. Beyond it, the oldest are dropped.
    static let maximumKeptCounts = 1000
    /// The maximum number of active faults. More are refused.
    static let maximum = 10_000
    /// The maximum size of all active faults as JSON, in bytes. More are refused.
    static let maximumBytes = 16 << 20

    private var dice: FaultDice
    private var active: [Entry] = []
    /// The size of the active faults as JSON.
    private var bytes = 0
    private var over: Deque<MockFault.Count> = []
    private var lastNumber = 0

    init(seed: UInt64) {
        dice = FaultDice(seed: seed)
    }

    var seed: UInt64 {
        get { dice.seed }
        set { dice = FaultDice(seed: newValue) }
    }

    var isEmpty: Bool { active.isEmpty }

    /// Whether a fault can act before the body of a request has arrived.
    var concernsHeaders: Bool { active.contains { $0.fault.moment == .requestHeaders } }

    /// How often each fault has acted, in the order of injection.
    var counts: [MockFault.Count] {
        (Array(over) + active.map { $0.count(isActive: true) }).sorted { $0.id < $1.id }
    }

    /// Whether a fault depends on the answer of the mock.
    var concernsVerdicts: Bool { active.contains { $0.fault.when.verdict != nil } }

    /// An order that does not come from a fault of the plan. Its number is 0.
    func order(of steps: [MockFault.Step], name: String = MockMagicToken.faultName) -> FaultOrder {
        let id = MockFault.ID(number: 0)
        return FaultOrder(
            mark: MockFault.Mark(id: id, name: name), steps: steps,
            randomNumbers: dice.randomNumbers(of: id, at: FaultEvent(moment: .request, connection: 0)))
    }

    /// The faults that can still act, in the order of injection.
    var activeFaults: [(id: MockFault.ID, fault: MockFault)] {
        active.map { ($0.id, $0.fault) }
    }

    /// Adds a fault. Returns `nil` if there would be more than ``maximum``, or more than ``maximumBytes``.
    mutating func insert(_ fault: MockFault) -> MockFault.ID? {
        guard active.count < Self.maximum else { return nil }
        let size = fault.json.utf8.count
        guard bytes + size <= Self.maximumBytes else { return nil }
        bytes += size
        lastNumber += 1
        let id = MockFault.ID(number: lastNumber)
        active.append(Entry(id: id, fault: fault, bytes: size))
        return id
    }

    @discardableResult
    mutating func remove(_ id: MockFault.ID) -> Bool {
        guard let index = active.firstIndex(where: { $0.id == id }) else { return false }
        end(index)
        return true
    }

    /// Forgets all faults, also those that have ended.
    mutating func reset() {
        (active, bytes, over) = ([], 0, [])
    }

    mutating func removeAll() {
        while !active.isEmpty { end(active.count - 1) }
    }

    private mutating func end(_ index: Int) {
        let entry = active.remove(at: index)
        bytes -= entry.bytes
        over.append(entry.count(isActive: false))
        if over.count > Self.maximumKeptCounts { over.removeFirst() }
    }

    /// Returns what to do at an event; `nil` if no fault acts.
    mutating func order(for event: FaultEvent) -> FaultOrder? {
        for index in active.indices where applies(index, to: event) {
            let entry = active[index]
            active[index].applied += 1
            if active[index].applied == entry.fault.times { end(index) }
            return FaultOrder(
                mark: MockFault.Mark(id: entry.id, name: entry.fault.name), steps: entry.fault.steps,
                randomNumbers: dice.randomNumbers(of: entry.id, at: event))
        }
        return nil
    }

    private mutating func applies(_ index: Int, to event: FaultEvent) -> Bool {
        let fault = active[index].fault
        guard fault.moment == event.moment, fault.when.fits(event) else { return false }
        active[index].fitted += 1
        if let match = fault.when.match, !match.contains(active[index].fitted) { return false }
        guard let probability = fault.when.probability else { return true }
        return dice.randomNumbers(of: active[index].id, at: event).draw(0) < probability
    }
}

extension MockMagicToken {
    /// What acts on the request instead of the usual answer; `nil` if the answer is only another one.
    var steps: [MockFault.Step]? {
        switch self {
        case .slow: [.wait(.exactly(.seconds(3))), .judge]
        case .silent: [.noAnswer]
        default: nil
        }
    }

    /// The name of the fault that slow and silent tokens have in the log.
    static let faultName = "magic token"
}

/// A cache for large header padding. It can have megabytes and is the same for all answers of a fault.
final class FaultPaddings: Sendable {
    private let last = NIOLockedValueBox<(MockFault.Answer.Padding, HeaderBlock)?>(nil)

    /// Returns the header fields. The last result is cached.
    func fields(_ padding: MockFault.Answer.Padding) -> HeaderBlock {
        if let (known, fields) = last.withLockedValue({ $0 }), known == padding { return fields }
        let fields = Self.make(padding)
        last.withLockedValue { $0 = (padding, fields) }
        return fields
    }

    private static func make(_ padding: MockFault.Answer.Padding) -> HeaderBlock {
        let value = String(repeating: "x", count: padding.bytes)
        var block = HeaderBlock(reservingBytes: padding.count * (padding.bytes + 24))
        for number in 0..<padding.count { block.append("x-padding-\(number)", value, indexing: .avoided) }
        return block
    }
}
