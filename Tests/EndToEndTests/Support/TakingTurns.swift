import TestSupport
import Testing

/// Lets only a few of these tests run at the same time: each starts processes, and a crowd of them would make the
/// machine so slow that time limits no longer mean anything.
struct TakingTurns: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    private static let turns = Turns(4)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite is no test: it would hold a turn that its own tests wait for.
        guard testCase != nil else { return try await function() }
        try await Self.turns.take { try await function() }
    }
}

extension Trait where Self == TakingTurns {
    static var takingTurns: TakingTurns { TakingTurns() }
}
