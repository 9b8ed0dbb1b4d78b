import NIOConcurrencyHelpers
import Testing

/// Lets only a few of these tests run at the same time: each starts processes, and a crowd of them would make the
/// machine so slow that time limits no longer mean anything.
struct TakingTurns: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    private static let turns = Turns(count: 4)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite is no test: it would hold a turn that its own tests wait for.
        guard testCase != nil else { return try await function() }
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        try await function()
    }
}

extension Trait where Self == TakingTurns {
    static var takingTurns: TakingTurns { TakingTurns() }
}

private final class Turns: Sendable {
    private let state: NIOLockedValueBox<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(count: Int) {
        state = NIOLockedValueBox((count, []))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLockedValue { state in
                if state.free == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
