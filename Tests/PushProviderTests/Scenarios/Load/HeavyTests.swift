import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// What keeps a machine busy, one after the other. The limit is for what hangs, and not for machines that are slow.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HeavyTests {
    @Test func `five thousand sends from two hundred tasks are all accepted, each once, over one connection`()
        async throws
    {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        let notification = try PushNotification.sample()
        let accepted = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<200 {
                group.addTask {
                    var ids: [String] = []
                    for _ in 0..<25 { ids.append(try await client.send(notification).apnsID) }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(accepted.count == 5000)
        #expect(Set(accepted).count == 5000)
        #expect(mock.arrivalCount == 5000)
        #expect(Set(mock.arrivals.compactMap(\.request.id)) == Set(accepted))
        #expect(mock.connectionCount == 1)
        await client.shutdown()
        await mock.stop()
    }
}
