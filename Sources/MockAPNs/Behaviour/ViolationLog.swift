internal import DequeModule
internal import NIOConcurrencyHelpers
package import PushPlatform

package struct MockViolationEntry: Sendable, Hashable {
    /// The number of the entry since the start, from 1.
    package let number: Int
    package let time: Date
    package let connection: Int
    /// The number of the request; `nil` if the violation is about a whole connection.
    package let arrival: Int?
    package let violation: MockViolation
}

/// A rule that clients broke, and how often.
package struct BrokenRule: Sendable {
    package let fact: MockFact
    /// What the client did the first time; `nil` if the rule says it.
    package let firstDetail: String?
    package fileprivate(set) var count = 0

    package var id: String { fact.id }
}

struct BrokenRules {
    /// The maximum number of rules that are counted. Beyond it, violations of further rules are not counted by rule.
    static let maximum = 500

    private var rules: [String: BrokenRule] = [:]

    var all: [BrokenRule] { rules.values.sorted { $0.id < $1.id } }

    mutating func count(_ violation: MockViolation) {
        guard rules[violation.id] != nil || rules.count < Self.maximum else { return }
        rules[violation.id, default: BrokenRule(fact: violation.fact, firstDetail: violation.detail)].count += 1
    }
}

/// The rules that clients broke: a bounded list, and a count for each rule.
final class ViolationLog: Sendable {
    private struct State {
        var entries: Deque<MockViolationEntry> = []
        var rules = BrokenRules()
        var total = 0
    }

    /// The maximum number of entries. Beyond it, the oldest guess is dropped, or the oldest entry; the counts still include it.
    static let maximumEntries = 1000

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
                state.rules.count(violation)
            }
        }
    }

    var all: [MockViolationEntry] { state.withLockedValue { Array($0.entries) } }

    var total: Int { state.withLockedValue { $0.total } }

    var brokenRules: [BrokenRule] { state.withLockedValue { $0.rules.all } }

    func removeAll() {
        state.withLockedValue { $0 = State() }
    }
}
