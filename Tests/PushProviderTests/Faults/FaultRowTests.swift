import Testing

@testable import PushProvider

/// What can happen to an APNs client, over real sockets: each fault in turn, and what must hold in all of them.
@Suite(.timeLimit(.minutes(2))) struct FaultRowTests {
    @Test(arguments: FaultRun.all) func `each notification ends once, and as the server says`(run: FaultRun)
        async throws
    {
        try await FaultTrial.perform(run)
    }
}
