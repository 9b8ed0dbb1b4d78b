import NIOConcurrencyHelpers
import TestSupport

@testable import PushProvider

/// Keeps each question until a test answers it.
final class HeldResolver: NameResolver {
    typealias Answer = Result<[NetworkAddress], NameFailure>

    private struct State {
        var asked: [String] = []
        var waiting: [@Sendable (Answer) -> Void] = []
        var answer: Answer?
        var isGivenUp = false
    }

    private let state = NIOLockedValueBox(State())
    /// How many questions there were.
    let count = Watched(0)

    /// The names that were asked for, in order.
    var asked: [String] { state.withLockedValue { $0.asked } }
    /// Nobody waits for the answer any more.
    var isGivenUp: Bool { state.withLockedValue { $0.isGivenUp } }

    func lookUp(_ host: String, port: Int, answer: @escaping @Sendable (Answer) -> Void) -> @Sendable () -> Void {
        let known = state.withLockedValue { state -> Answer? in
            state.asked.append(host)
            if state.answer == nil { state.waiting.append(answer) }
            return state.answer
        }
        count.change { $0 += 1 }
        if let known { answer(known) }
        return { [state] in state.withLockedValue { $0.isGivenUp = true } }
    }

    /// Answers all questions so far, and those to come.
    func answer(_ answer: Answer) {
        let waiting = state.withLockedValue { state in
            state.answer = answer
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter(answer) }
    }
}
