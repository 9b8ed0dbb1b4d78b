internal import DequeModule
internal import NIOConcurrencyHelpers
package import PushPlatform

/// A violation, and where it happened.
package struct MockViolationEntry: Sendable, Hashable {
    /// The number of the entry since the start, from 1.
    package let number: Int
    /// When the mock noticed it, on the mock's clock.
    package let time: Date
    /// The number of the connection.
    package let connection: Int
    /// The number of the request; `nil` if the violation is about a whole connection.
    package let arrival: Int?
    /// The rule that was broken.
    package let violation: MockViolation
}

/// How often a rule was broken.
package struct MockViolationCount: Sendable, Hashable {
    /// The stable id of the rule.
    package let id: String
    /// The rule, and how certain it is.
    package let fact: MockFact
    /// How often it was broken since the start or the last reset.
    package let count: Int
}

/// The rules that clients broke: a bounded list, and a count for each rule.
final class ViolationLog: Sendable {
    private struct State {
        var entries: Deque<MockViolationEntry> = []
        var counts: [String: (fact: MockFact, count: Int)] = [:]
        var total = 0
    }

    /// The maximum number of entries. Beyond it, the oldest guess is dropped, or the oldest entry; the counts still include it.
    static let maximumEntries = 1000
    /// The maximum number of rules that are counted. Beyond it, violations of further rules are not counted by rule.
    static let maximumRules = 500

    private let state = NIOLockedValueBox(State())
    private let whenAdded: (@Sendable ([MockViolation]) -> Void)?

    /// - Parameter whenAdded: Called with all violations that are added, also those that the list drops later.
    init(whenAdded: (@Sendable ([MockViolation]) -> Void)? = nil) {
        self.whenAdded = whenAdded
    }

    func add(_ violations: [MockViolation], connection: Int, arrival: Int?, at time: Date) {
        whenAdded?(violations)
        state.withLockedValue { state in
            for violation in violations {
                state.total += 1
                state.entries.append(
                    MockViolationEntry(
                        number: state.total, time: time, connection: connection, arrival: arrival, violation: violation)
                )
                if state.entries.count > Self.maximumEntries {
                    let guess = state.entries.firstIndex { $0.violation.fact.confidence == .guess }
                    state.entries.remove(at: guess ?? 0)
                }
                let known = state.counts[violation.id]
                if known != nil || state.counts.count < Self.maximumRules {
                    state.counts[violation.id] = (violation.fact, (known?.count ?? 0) + 1)
                }
            }
        }
    }

    var all: [MockViolationEntry] { state.withLockedValue { Array($0.entries) } }

    var total: Int { state.withLockedValue { $0.total } }

    var counts: [MockViolationCount] {
        state.withLockedValue { state in
            state.counts.map { MockViolationCount(id: $0.key, fact: $0.value.fact, count: $0.value.count) }
                .sorted { $0.id < $1.id }
        }
    }

    func removeAll() {
        state.withLockedValue { $0 = State() }
    }
}
