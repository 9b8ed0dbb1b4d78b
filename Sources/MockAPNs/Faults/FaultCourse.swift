/// Iterates over the steps of a fault, with repetitions expanded and random waits drawn.
struct FaultCourse: Sendable {
    private struct Repetition {
        var steps: [MockFault.Step]
        var index: Int
        var times: Int
        var next = 0
        var round = 0
    }

    private let steps: [MockFault.Step]
    private let randomNumbers: FaultRandomNumbers
    private var next = 0
    private var repetition: Repetition?

    init(_ order: FaultOrder) {
        steps = order.steps
        randomNumbers = order.randomNumbers
    }

    /// Whether the last step belongs to a repetition.
    var isRepeating: Bool { repetition != nil }

    /// - Returns: The next step to execute, never a repetition and never with a random wait; `nil` at the end.
    mutating func nextStep() -> MockFault.Step? {
        while true {
            if let step = nextOfRepetition() { return step }
            guard next < steps.count else { return nil }
            next += 1
            guard case .repeated(let again, let times) = steps[next - 1] else {
                return certain(steps[next - 1], purpose: next)
            }
            repetition = Repetition(steps: again, index: next - 1, times: times)
        }
    }

    private mutating func nextOfRepetition() -> MockFault.Step? {
        guard var current = repetition else { return nil }
        if current.next == current.steps.count {
            current.next = 0
            current.round += 1
        }
        guard current.round < current.times, !current.steps.isEmpty else {
            repetition = nil
            return nil
        }
        current.next += 1
        repetition = current
        // A fault has at most 100 steps, so these numbers differ from theirs.
        let purpose = current.index + 100 * current.next + 1
        return certain(current.steps[current.next - 1], purpose: purpose, round: current.round)
    }

    private func certain(_ step: MockFault.Step, purpose: Int, round: Int = 0) -> MockFault.Step {
        guard case .wait(let delay) = step else { return step }
        return .wait(.exactly(delay.time(drawn: randomNumbers.draw(purpose, round: round))))
    }
}
