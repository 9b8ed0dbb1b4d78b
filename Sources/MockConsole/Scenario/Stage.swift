package import MockAPNs
internal import NIOConcurrencyHelpers
import PushHTTP
package import PushJSON

/// Activates and ends the scenarios of a mock. Only one scenario is active at a time.
final class Stage: Sendable {
    private struct State {
        var active: ActiveScenario?
        var atStart: Scenario?
    }

    private let mock: MockServer
    private let state = NIOLockedValueBox(State())

    init(_ mock: MockServer) {
        self.mock = mock
    }

    var active: Scenario? { state.withLockedValue { $0.active?.scenario } }

    /// Ends the active scenario, and activates another one. If that is not possible, the old one stays active.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - isOfTheStart: Whether a reset returns to it.
    /// - Throws: ``APIProblem``, and `MockFaultError`.
    func play(_ scenario: Scenario, isOfTheStart: Bool = false) throws {
        try state.withLockedValue { state in
            let before = state.active
            // An unknown key must not end it: begun anew, it would count anew, and undo what was changed since.
            try ActiveScenario.check(scenario, on: mock, inPlaceOf: before)
            before?.end(on: mock)
            do {
                state.active = try ActiveScenario(scenario, on: mock)
            } catch {
                state.active = try before.map { try ActiveScenario($0.scenario, on: mock) }
                throw error
            }
            if isOfTheStart { state.atStart = scenario }
        }
    }

    func end() {
        state.withLockedValue { state in
            state.active?.end(on: mock)
            state.active = nil
        }
    }

    /// Brings the mock back to the state after its start, with the scenario of the start.
    func reset() {
        state.withLockedValue { state in
            mock.reset()
            // It has acted before, so it is possible.
            state.active = try? state.atStart.map { try ActiveScenario($0, on: mock) }
        }
    }
}

/// Faults in a file, for a command line.
package enum FaultText {
    /// Reads one fault or a list in YAML.
    ///
    /// - Throws: ``Mistake``.
    package static func faults(yaml bytes: [UInt8]) throws(Mistake) -> [MockFault] {
        do {
            return try FaultForm.faults(try YAMLReader.read(bytes))
        } catch {
            let problem = (error as? any ProblemError)?.problem ?? .invalid("The fault can't be read.")
            throw Mistake(description: problem.detail, position: problem.position)
        }
    }

    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
        package let position: TextPosition?
    }
}
