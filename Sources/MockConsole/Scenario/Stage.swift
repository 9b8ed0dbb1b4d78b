import MockAPNs
internal import NIOConcurrencyHelpers

/// Where one scenario at a time acts on a mock.
final class Stage: Sendable {
    private let mock: MockServer
    private let state = NIOLockedValueBox<ActiveScenario?>(nil)

    init(_ mock: MockServer) {
        self.mock = mock
    }

    /// The scenario that acts; `nil` if none does.
    var active: Scenario? { state.withLockedValue { $0?.scenario } }

    /// Ends the scenario that acts, and puts another one into force. If that is not possible, the old one goes on.
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

    /// Ends the scenario that acts.
    func end() {
        state.withLockedValue { active in
            active?.end(on: mock)
            active = nil
        }
    }

    /// Forgets the scenario that acts, after a reset has undone it.
    func forget() {
        state.withLockedValue { $0 = nil }
    }
}
