import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The connection breaks at each statement of the queue, once before the server gets it, and once before its answer arrives.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct LostConnectionTests {
    private static let parts = 8

    /// A server behind a proxy, which breaks the connection at one place.
    private struct Proxied {
        let proxy: StatementProxy
        let address: PostgresAddress

        init(_ cut: StatementProxy.Cut?) throws {
            let server = try #require(try PostgresServer.shared())
            let schema = server.newSchema()
            proxy = try StatementProxy(to: server.port, schema: schema, cuts: cut)
            let text = server.address(schema: schema).replacing(":\(server.port)", with: ":\(proxy.port)")
            address = try PostgresAddress(text + "&sslmode=disable&gssencmode=disable")
        }

        /// Opens the queue. A service that cannot reach the database at its start tries again.
        func open(_ options: PostgresQueue.Options) async throws -> PostgresQueue {
            while true {
                try Task.checkCancellation()
                do throws(QueueError) { return try await PostgresQueue(address, options: options) } catch {
                    guard error.code == .unreachable, proxy.hasCut else { throw error }
                }
            }
        }
    }

    /// Runs the story through a proxy.
    private func tell(_ cut: StatementProxy.Cut?) async throws -> StatementProxy {
        let proxied = try Proxied(cut)
        let clock = ManualClock()
        var options = QueueOptions()
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = clock.boot
        let queue = try await proxied.open(.with(options))
        try await QueueStory(queue: queue, clock: clock, about: cut?.description ?? "no cut").tell()
        await queue.close()
        try await readClock(proxied)
        return proxied.proxy
    }

    /// The queue of the story has a clock of its own. This one reads that of the server.
    private func readClock(_ proxied: Proxied) async throws {
        let queue = try await proxied.open(.patient)
        while true {
            do throws(QueueError) {
                #expect(try await queue.now() > .earliest)
                break
            } catch {
                guard error.code == .unreachable, proxied.proxy.hasCut else { throw error }
            }
        }
        await queue.close()
    }

    /// Runs the story of an import through a proxy.
    private func tellOfImport(_ cut: StatementProxy.Cut?) async throws -> StatementProxy {
        let proxied = try Proxied(cut)
        let queues = try TransferredQueues(at: proxied.address)
        await (try await proxied.open(queues.serverOptions)).close()
        try await TransferStory(queues: queues, about: cut?.description ?? "no cut").tell()
        return proxied.proxy
    }

    @Test(arguments: 0..<parts)
    func `nothing is lost and nothing is doubled, whichever statement the connection breaks at`(part: Int)
        async throws
    {
        let statements = try await tell(nil).statements
        #expect(statements.count > 150)
        for (index, sql) in statements.enumerated() where index % Self.parts == part {
            try await cut(at: sql) { try await tell($0) }
        }
    }

    @Test func `an import brings everything once, whichever statement the connection breaks at`() async throws {
        let (others, own) = (try await tell(nil).statements, try await tellOfImport(nil).statements)
        let statements = own.filter { !others.contains($0) || $0 == "COMMIT" }
        #expect(statements.count > 15)
        for sql in statements { try await cut(at: sql) { try await tellOfImport($0) } }
    }

    private func cut(at sql: String, _ tell: (StatementProxy.Cut) async throws -> StatementProxy) async throws {
        for moment in [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer] {
            let cut = StatementProxy.Cut(sql: sql, moment: moment)
            do {
                let hasCut = try await tell(cut).hasCut
                // Which notices go together is up to chance.
                #expect(hasCut || sql.contains("NOTIFY"), "\(cut)")
            } catch {
                Issue.record(error, "\(cut)")
            }
        }
    }

    // MARK: Each statement

    /// Statements that no story runs, and why.
    private static let exceptions = [
        "PostgresTransaction.swift: limitLocks": "It follows a time limit of a lock, as in LockTimeoutTests.",
        "PostgresTransaction+Lease.swift: claimedJobs":
            "It follows a claim whose answer is lost, as in AdministratorTests.",
        "PostgresTransaction+Campaigns.swift: campaignState":
            "It follows a retry of a campaign's line, as in the conformance of campaigns.",
    ]

    @Test func `each statement of the sources runs in a story`() async throws {
        let proxies = [try await tell(nil), try await tellOfImport(nil)]
        let seen = Set(proxies.flatMap(\.statements).map(SourceStatements.normal))
        let all = try SourceStatements(in: "Sources/PushQueuePostgres").statements
        #expect(all.count > 180)
        let missing = all.filter { statement in !seen.contains { statement.matches($0) } }.map(\.name)
        #expect(missing.filter { Self.exceptions[$0] == nil } == [])
        #expect(Set(Self.exceptions.keys).subtracting(missing) == [], "these run in a story, or are gone")
    }
}
