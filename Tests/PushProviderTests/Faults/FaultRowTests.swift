import Testing

@testable import PushProvider

/// What can happen to an APNs client, over real sockets: each fault in turn, and what must hold in all of them.
@Suite(.timeLimit(.minutes(5))) struct FaultRowTests {
    private static let turns = Turns(8)

    @Test(arguments: FaultRun.all) func `each notification ends once, and as the server says`(run: FaultRun)
        async throws
    {
        _ = try await Self.turns.take { try await FaultTrial.perform(run) }
    }

    @Test func `no row is forgotten`() {
        let numbers = FaultRow.all.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        let first = Set(numbers.compactMap { Int($0) })
        // That a process without file descriptors sends again when it has some takes a process of its own: see
        // `DescriptorsTests` among the tests from end to end.
        #expect(first == Set(1...87).subtracting([84]))
    }
}
