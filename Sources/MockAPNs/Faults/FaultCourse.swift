/// The steps of a fault in the order in which they are done, each with its waiting time drawn.
struct FaultCourse: Sendable {
    /// What is done again and again.
    private struct Repetition {
        var steps: [FaultStep]
        /// Where it stands among the steps of the fault.
        var place: Int
        var times: Int
        /// Of its steps.
        var next = 0
        /// How often all of them are done.
        var round = 0
    }

    private let steps: [FaultStep]
    private let luck: FaultLuck
    private var next = 0
    private var repetition: Repetition?

    init(_ order: FaultOrder) {
        steps = order.steps
        luck = order.luck
    }

    /// The last step was one of those that are done again and again.
    var isRepeating: Bool { repetition != nil }

    /// - Returns: What is to be done now, never a repetition and with no chance left in it; `nil` at the end.
    mutating func nextStep() -> FaultStep? {
        while true {
            if let step = nextOfRepetition() { return step }
            guard next < steps.count else { return nil }
            next += 1
            guard case .repeated(let again, let times) = steps[next - 1] else {
                return certain(steps[next - 1], purpose: next)
            }
            repetition = Repetition(steps: again, place: next - 1, times: times)
        }
    }

    private mutating func nextOfRepetition() -> FaultStep? {
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
        // A fault has a hundred steps at the most: the numbers of these are none of theirs.
        let purpose = current.place + 100 * current.next + 1
        return certain(current.steps[current.next - 1], purpose: purpose, round: current.round)
    }

    private func certain(_ step: FaultStep, purpose: Int, round: Int = 0) -> FaultStep {
        guard case .wait(let delay) = step else { return step }
        return .wait(.exactly(delay.time(drawn: luck.draw(purpose, round: round))))
    }
}
