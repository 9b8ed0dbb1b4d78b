import MockAPNs
internal import NIOConcurrencyHelpers

/// Activates and ends the scenarios of a mock. Only one scenario is active at a time.
final class Stage: Sendable {
    private let mock: MockServer
    private let state = NIOLockedValueBox<ActiveScenario?>(nil)

    init(_ mock: MockServer) {
        self.mock = mock
    }

    /// The active scenario, or `nil`.
    var active: Scenario? { state.withLockedValue { $0?.scenario } }

    /// Ends the active scenario, and activates another one. If that is not possible, the old one stays active.
    ///
    /// - Throws: ``ConsoleProblem``.
    func play(_ scenario: Scenario) throws {
        try state.withLockedValue { active in
            let before = active
            before?.end(on: mock)
            do {
                active = try ActiveScenario(scenario, on: mock)
            } catch {
                active = try before.map { try ActiveScenario($0.scenario, on: mock) }
                throw error
            }
        }
    }

    /// Ends the active scenario.
    func end() {
        state.withLockedValue { active in
            active?.end(on: mock)
            active = nil
        }
    }

    /// Forgets the active scenario, after a reset has undone it.
    func forget() {
        state.withLockedValue { $0 = nil }
    }
}
