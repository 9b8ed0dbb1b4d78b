import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct StorageLoadTests {
    @Test func `the oldest transaction of any program is found, with its owner`() async throws {
        // In a database of its own. In a shared one, the transactions of other tests count, and those wait that build an index.
        let address = try PostgresServer.addressWithDatabase()
        let queue = try await PostgresQueue(try PostgresAddress(address), options: .patient)
        let other = PostgresThread(
            name: "other", address: try PostgresAddress(address + "&application_name=nightly_dump"),
            settings: .patient)
        try await other.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM queue")
        }
        var owner = ""
        // The queue has transactions, too. This one is the oldest after a while.
        while !owner.contains("nightly_dump") {
            try Task.checkCancellation()
            let load = try #require(try await queue.storageLoad())
            #expect(load.hidden == 0)
            owner = load.oldest?.owner ?? ""
        }
        #expect(owner.contains("role ") && owner.contains("process ") && owner.contains("127.0.0.1"))
        #expect(!owner.contains(PostgresServer.password))
        await other.stop()
        while try await queue.storageLoad()?.oldest?.owner == owner { try Task.checkCancellation() }
        await queue.close()
    }
}
