import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The connection breaks at each statement of the queue, once before the server gets it, and once before its answer arrives; in each
/// story at several.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct LostConnectionTests {
    private static let parts = 8
    /// How often the connection breaks in one story. The stories do each step up to six times.
    private static let cutsPerStory = 4

    /// A server behind a proxy, which breaks the connection at these places.
    private struct Proxied {
        let proxy: StatementProxy
        let address: PostgresAddress
        private let cuts: Int

        init(_ cuts: [StatementProxy.Cut]) throws {
            self.cuts = cuts.count
            let server = try #require(try PostgresServer.shared())
            let schema = server.newSchema()
            proxy = try StatementProxy(to: server.port, schema: schema, cuts: cuts)
            let text = server.address(schema: schema).replacing(":\(server.port)", with: ":\(proxy.port)")
            address = try PostgresAddress(text + "&sslmode=disable&gssencmode=disable")
        }

        var hasCut: Bool { proxy.cutsLeft.count < cuts }

        /// Opens the queue. A service that cannot reach the database at its start tries again.
        func open(_ options: PostgresQueue.Options) async throws -> PostgresQueue {
            while true {
                try Task.checkCancellation()
                do throws(QueueError) { return try await PostgresQueue(address, options: options) } catch {
                    guard error.code == .unreachable, hasCut else { throw error }
                }
            }
        }
    }

    /// Runs the story through a proxy.
    private func tell(_ cuts: [StatementProxy.Cut] = []) async throws -> StatementProxy {
        let proxied = try Proxied(cuts)
        let clock = ManualClock()
        var options = QueueOptions()
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = clock.boot
        let queue = try await proxied.open(.with(options))
        try await QueueStory(queue: queue, clock: clock, about: "\(cuts)").tell()
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
                guard error.code == .unreachable, proxied.hasCut else { throw error }
            }
        }
        await queue.close()
    }

    /// Runs the story of an import through a proxy.
    private func tellOfImport(_ cuts: [StatementProxy.Cut] = []) async throws -> StatementProxy {
        let proxied = try Proxied(cuts)
        let queues = try TransferredQueues(at: proxied.address)
        await (try await proxied.open(queues.serverOptions)).close()
        try await TransferStory(queues: queues, about: "\(cuts)").tell()
        return proxied.proxy
    }

    @Test(arguments: 0..<parts)
    func `nothing is lost and nothing is doubled, whichever statements the connection breaks at`(part: Int)
        async throws
    {
        let statements = try await tell().statements
        #expect(statements.count > 150)
        for (index, cuts) in Self.groups(of: statements).enumerated() where index % Self.parts == part {
            try await cut(at: cuts) { try await tell($0) }
        }
    }

    @Test func `an import brings everything once, whichever statements the connection breaks at`() async throws {
        let (others, own) = (try await tell().statements, try await tellOfImport().statements)
        let statements = own.filter { !others.contains($0) || $0 == "COMMIT" }
        #expect(statements.count > 15)
        for cuts in Self.groups(of: statements) { try await cut(at: cuts) { try await tellOfImport($0) } }
    }

    /// Both cuts at each statement, in groups for one story each. The statements of a group are far from each other.
    private static func groups(of statements: [String]) -> [[StatementProxy.Cut]] {
        let moments = [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer]
        let distance = (statements.count + cutsPerStory - 1) / cutsPerStory
        return (0..<distance).flatMap { first in
            let group = stride(from: first, to: statements.count, by: distance)
            return moments.indices.map { turn in
                group.enumerated().map { StatementProxy.Cut(sql: statements[$1], moment: moments[($0 + turn) % 2]) }
            }
        }
    }

    private func cut(
        at cuts: [StatementProxy.Cut], _ tell: ([StatementProxy.Cut]) async throws -> StatementProxy
    ) async throws {
        do {
            let left = try await tell(cuts).cutsLeft
            // After a cut, a story can need no other statement that it runs without one. And which notices go together is up to chance.
            for cut in left where cuts.count > 1 { try await self.cut(at: [cut], tell) }
            if cuts.count == 1 { #expect(left.allSatisfy { $0.sql.contains("NOTIFY") }, "\(left)") }
        } catch {
            Issue.record(error, "\(cuts)")
        }
    }

    // MARK: Each statement

    /// Statements that no story runs, and why.
    private static let exceptions = [
        "PostgresTransaction.swift: limitLocks": "It follows a time limit of a lock, as in LockTimeoutTests.",
        "PostgresTransaction.swift: lockCounts": "It follows many old versions of counters, as in DeadEntriesTests.",
        "PostgresTransaction.swift: moveCounts": "It follows many old versions of counters, as in DeadEntriesTests.",
        "PostgresInbox+Outcomes.swift: limitTime": "It goes with the outcomes of an inbox, as in InboxOutcomeTests.",
        "PostgresTransaction+Lease.swift: claimedJobs":
            "It follows a claim whose answer is lost, as in AdministratorTests.",
        "PostgresSchema.swift: isValidIndex": "It is asked in a database of an older format, as in OldFormatTests.",
        "PostgresTransaction+Campaigns.swift: campaignState":
            "It follows a retry of a campaign's line, as in the conformance of campaigns.",
        "PostgresTransaction+Observing.swift: dropExcessAudit":
            "It follows an audit beyond its bound, as in the conformance of observing.",
    ]

    @Test func `each statement of the sources runs in a story`() async throws {
        let proxies = [try await tell(), try await tellOfImport()]
        let seen = Set(proxies.flatMap(\.statements).map(SourceStatements.normal))
        let all = try SourceStatements(in: "Sources/PushQueuePostgres").statements
        #expect(all.count > 180)
        let missing = all.filter { statement in !seen.contains { statement.matches($0) } }.map(\.name)
        #expect(missing.filter { Self.exceptions[$0] == nil } == [])
        #expect(Set(Self.exceptions.keys).subtracting(missing) == [], "these run in a story, or are gone")
    }
}
