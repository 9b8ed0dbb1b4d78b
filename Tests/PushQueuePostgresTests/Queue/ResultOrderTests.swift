#if PushService
    import PushQueue
    import QueueConformance
    import TestSupport
    import Testing

    @testable import PushQueuePostgres

    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct ResultOrderTests {
        private func finish(_ queue: PostgresQueue, app: String = "shop") async throws -> UUIDText {
            _ = try await queue.add([.sample()], app: app)
            let job = try await queue.startAll(app: app)[0]
            #expect(try await queue.complete(job, .accepted) == .done)
            return UUIDText(job)
        }

        private struct UUIDText: Equatable {
            let text: String

            init(_ job: ClaimedJob) { text = "\(job.id)" }
            init(_ record: JobRecord) { text = "\(record.id)" }
        }

        @Test func `a cursor waits for a writer that began earlier and commits later`() async throws {
            let server = try #require(try PostgresServer.shared())
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            let queue = try await PostgresQueue(address)
            // The transaction of another worker, which has its number and is not committed.
            let slow = PostgresThread(name: "slow", address: address, settings: PostgresSettings())
            try await slow.run { (connection) throws(QueueError) in
                try connection.execute("BEGIN")
                _ = try connection.run(PostgresHorizon.join(address.schema))
                try connection.execute("UPDATE queue SET checked = checked + 1")
            }
            let id = try await finish(queue)
            #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.isEmpty)
            #expect(try await queue.resultsEnd() < ResultCursor(number: .max))
            try await slow.run { (connection) throws(QueueError) in try connection.execute("COMMIT") }
            #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.map(UUIDText.init) == [id])
            await slow.stop()
            await queue.close()
        }

        @Test func `a transaction of another program holds no results back`() async throws {
            let server = try #require(try PostgresServer.shared())
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            let queue = try await PostgresQueue(address)
            let other = PostgresThread(name: "other", address: address, settings: PostgresSettings())
            try await other.run { (connection) throws(QueueError) in
                try connection.execute("BEGIN; CREATE TABLE of_another_program (id int8)")
            }
            let id = try await finish(queue)
            #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.map(UUIDText.init) == [id])
            await other.stop()
            await queue.close()
        }
    }
#endif
