internal import DequeModule
internal import NIOConcurrencyHelpers

/// An expectation that was checked, and its result.
package struct MockCheckedExpectation: Sendable, Hashable {
    /// The amount and the searches, in a few words.
    package let name: String
    /// Whether it was met.
    package let holds: Bool
    /// Why, in a sentence.
    package let explanation: String
}

/// The expectations that were checked, and the requests that they matched. Bounded.
final class ExpectationLog: Sendable {
    private struct State {
        var checked: Deque<MockCheckedExpectation> = []
        var matched: Set<Int> = []
    }

    /// The maximum number of expectations in the log. Beyond it, the oldest is dropped.
    private static let maximum = 1000
    /// The maximum number of requests that are noted as matched. Beyond it, further matches are not noted.
    private static let maximumMatched = 1_000_000
    /// The maximum length of a name, in Unicode scalars. The rest is cut off.
    static let longestName = 500

    private let state = NIOLockedValueBox(State())
    private let whenAdded: (@Sendable (MockCheckedExpectation) -> Void)?

    /// - Parameter whenAdded: Called with every expectation that is added.
    init(whenAdded: (@Sendable (MockCheckedExpectation) -> Void)? = nil) {
        self.whenAdded = whenAdded
    }

    func add(_ expectation: MockArrivalExpectation, _ result: MockArrivalExpectation.Result, matched: [Int]) {
        let checked = MockCheckedExpectation(
            name: Self.shortened(expectation.name), holds: result.holds, explanation: result.explanation)
        whenAdded?(checked)
        state.withLockedValue { state in
            state.checked.append(checked)
            if state.checked.count > Self.maximum { state.checked.removeFirst() }
            guard result.holds, state.matched.count + matched.count <= Self.maximumMatched else { return }
            state.matched.formUnion(matched)
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longestName else { return name }
        let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName)))
        return beginning.utf8.count < name.utf8.count ? beginning + "…" : name
    }

    var all: [MockCheckedExpectation] { state.withLockedValue { Array($0.checked) } }

    func isMatched(_ number: Int) -> Bool { state.withLockedValue { $0.matched.contains(number) } }

    func removeAll() { state.withLockedValue { $0 = State() } }
}

extension MockArrivalExpectation {
    /// The amount and the searches, in a few words.
    fileprivate var name: String {
        let texts = searches.map { $0.description.isEmpty ? "any request" : $0.description }
        return switch amount {
        case .atLeast(let count): "at least \(count): \(texts.joined())"
        case .exactly(let count): "exactly \(count): \(texts.joined())"
        case .inOrder: "in order: \(texts.joined(separator: ", then "))"
        }
    }
}
