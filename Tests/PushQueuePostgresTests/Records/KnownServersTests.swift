import Testing

@testable import PushQueuePostgres

/// Which servers lack a push that was confirmed.
struct KnownServersTests {
    @Test func `a server must have the last transaction that was confirmed by one with the same data`() {
        var servers = KnownServers()
        #expect(servers.transaction(of: "data-1 start-1") == nil)
        servers.confirmed(7, by: "data-1 start-1")
        servers.confirmed(5, by: "data-1 start-1")
        #expect(servers.transaction(of: "data-1 start-2") == 7)
        #expect(servers.transaction(of: "data-2 start-1") == nil)
        // The queue was moved to another cluster.
        servers.confirmed(3, by: "data-2 start-1")
        #expect(servers.transaction(of: "data-2 start-1") == 3)
        #expect(servers.transaction(of: "data-1 start-1") == nil)
    }

    @Test func `a server that was behind stays so until it starts again`() {
        var servers = KnownServers()
        servers.confirmed(7, by: "data start-1")
        servers.lacks("data start-2")
        #expect(servers.isBehind("data start-2"))
        // Later transactions of others change nothing.
        servers.confirmed(9, by: "data start-1")
        #expect(
            servers.isBehind("data start-2") && !servers.isBehind("data start-1") && !servers.isBehind("data start-3"))
    }
}
