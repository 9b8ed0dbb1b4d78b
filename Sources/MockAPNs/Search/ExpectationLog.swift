internal import NIOConcurrencyHelpers

package struct MockCheckedExpectation: Sendable, Hashable {
    /// The amount and the searches, in a few words.
    package let name: String
    package let holds: Bool
    /// Why, in a sentence.
    package let explanation: String
}

/// Passes on the expectations that were checked, and notes the requests that they matched. Bounded.
final class ExpectationLog: Sendable {
    /// The maximum number of requests that are noted as matched. Beyond it, further matches are not noted.
    private static let maximumMatched = 1_000_000
    /// The maximum length of a name, in Unicode scalars. The rest is cut off.
    static let longestName = 500

    private let matched = NIOLockedValueBox<Set<Int>>([])
    private let whenAdded: @Sendable (MockCheckedExpectation) -> Void

    /// - Parameter whenAdded: Called with every expectation that is added.
    init(whenAdded: @escaping @Sendable (MockCheckedExpectation) -> Void) {
        self.whenAdded = whenAdded
    }

    func add(_ expectation: MockArrivalExpectation, _ result: MockArrivalExpectation.Result, matched numbers: [Int]) {
        whenAdded(
            MockCheckedExpectation(
                name: Self.shortened(expectation.name), holds: result.holds, explanation: result.explanation))
        guard result.holds else { return }
        matched.withLockedValue { matched in
            if matched.count + numbers.count <= Self.maximumMatched { matched.formUnion(numbers) }
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longestName else { return name }
        let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName)))
        return beginning.utf8.count < name.utf8.count ? beginning + "…" : name
    }

    func isMatched(_ number: Int) -> Bool { matched.withLockedValue { $0.contains(number) } }

    func removeAll() { matched.withLockedValue { $0 = [] } }
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
