internal import NIOConcurrencyHelpers

/// What a whole run of one or more mocks has seen, for the result at its end. Unlike the logs of a mock, it is never reset. Its lists
/// keep only the first entries; the counts include all.
package final class RunLedger: Sendable {
    /// Something that one mock of the run has seen.
    package struct Entry<Content: Sendable>: Sendable {
        package let content: Content
        /// The namespace of the mock; `nil` for the mock from the start.
        package let namespace: String?
    }

    private struct State {
        var rules = BrokenRules()
        var expectations: [Entry<MockCheckedExpectation>] = []
        var unmatched: [Entry<MockArrival>] = []
        var unmatchedCount = 0
    }

    /// The maximum number of expectations and of unmatched requests in the lists. Further ones are only counted, or dropped.
    private static let longestList = 1000

    private let state = NIOLockedValueBox(State())

    /// Takes the requests of all mocks, with their namespace; `nil` if they are not wanted.
    let recorder: (@Sendable ([MockArrival], String?) -> Void)?

    /// Creates an empty ledger.
    ///
    /// - Parameter recorder: Called with the requests of all mocks as they are logged, and with the namespace: in order for each
    ///   mock, on the threads of the connections. It must return at once.
    package init(recorder: (@Sendable (_ arrivals: [MockArrival], _ namespace: String?) -> Void)? = nil) {
        self.recorder = recorder
    }

    package var brokenRules: [BrokenRule] { state.withLockedValue { $0.rules.all } }

    package var expectations: [Entry<MockCheckedExpectation>] { state.withLockedValue { $0.expectations } }

    /// The requests that no expectation had matched when the log was emptied or the mock stopped.
    package var unmatched: [Entry<MockArrival>] { state.withLockedValue { $0.unmatched } }

    /// The number of ``unmatched`` requests, with those that are not in the list.
    package var unmatchedCount: Int { state.withLockedValue { $0.unmatchedCount } }

    func add(_ violations: [MockViolation]) {
        state.withLockedValue { state in
            for violation in violations { state.rules.count(violation) }
        }
    }

    func add(_ expectation: MockCheckedExpectation, in namespace: String?) {
        let entry = Entry(content: expectation, namespace: namespace)
        state.withLockedValue { state in
            if state.expectations.count < Self.longestList {
                state.expectations.append(entry)
            } else if !expectation.holds, let met = state.expectations.firstIndex(where: \.content.holds) {
                // A failed one is more important.
                state.expectations[met] = entry
            }
        }
    }

    func leave(unmatched arrivals: [MockArrival], in namespace: String?) {
        state.withLockedValue { state in
            state.unmatchedCount += arrivals.count
            state.unmatched += arrivals.prefix(Self.longestList - state.unmatched.count).map {
                Entry(content: $0, namespace: namespace)
            }
        }
    }
}
