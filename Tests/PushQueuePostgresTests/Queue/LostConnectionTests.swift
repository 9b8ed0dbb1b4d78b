#if PushService
    import PushQueue
    import QueueConformance
    import TestSupport
    import Testing

    @testable import PushQueuePostgres

    /// The connection breaks at each statement of the queue, once before the server gets it, and once before its answer arrives.
    @Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
    struct LostConnectionTests {
        private static let parts = 8

        /// Runs the story through a proxy. Returns the statements, and whether the connection was cut.
        private func tell(_ cut: StatementProxy.Cut?) async throws -> (statements: [String], hasCut: Bool) {
            let server = try #require(try PostgresServer.shared())
            let schema = server.newSchema()
            let proxy = try StatementProxy(to: server.port, schema: schema, cuts: cut)
            let text = server.address(schema: schema).replacing(":\(server.port)", with: ":\(proxy.port)")
            let address = try PostgresAddress(text + "&sslmode=disable&gssencmode=disable")
            let clock = ManualClock()
            var options = QueueOptions()
            options.clock = { clock.now }
            options.uptime = { clock.uptime }
            options.boot = clock.boot
            var queue: PostgresQueue?
            while queue == nil {
                try Task.checkCancellation()
                do throws(QueueError) {
                    queue = try await PostgresQueue(address, options: .with(options))
                } catch {
                    // A service that cannot reach the database at its start tries again.
                    guard error.code == .unreachable, proxy.hasCut else { throw error }
                }
            }
            guard let queue else { throw Unexpected() }
            try await QueueStory(queue: queue, clock: clock, about: cut?.description ?? "no cut").tell()
            await queue.close()
            return (proxy.statements, proxy.hasCut)
        }

        @Test(arguments: 0..<parts)
        func `nothing is lost and nothing is doubled, whichever statement the connection breaks at`(part: Int)
            async throws
        {
            let statements = try await tell(nil).statements
            #expect(statements.count > 100)
            for (index, sql) in statements.enumerated() where index % Self.parts == part {
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
        }
    }
#endif
