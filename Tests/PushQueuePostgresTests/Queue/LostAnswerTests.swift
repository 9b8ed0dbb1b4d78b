#if PushService
    import PushQueue
    import QueueConformance
    import TestSupport
    import Testing

    @testable import PushQueuePostgres

    /// The connection breaks at the commit.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct LostAnswerTests {
        @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
        func `jobs are stored once, and the caller is told so, whenever the answer to the commit is lost`(
            moment: CuttingProxy.Moment
        ) async throws {
            let server = try #require(try PostgresServer.shared())
            let direct = try PostgresAddress(server.address(schema: server.newSchema()))
            let queue = try await PostgresQueue(direct)
            let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: moment)
            let through = server.address(schema: direct.schema).replacing(
                ":\(server.port)", with: ":\(proxy.port),127.0.0.1:\(server.port)")
            let writer = PostgresWriter(name: "cut", try PostgresAddress(through), PostgresQueueOptions()) { _ in }
            let request = PostgresEnqueue(EnqueueRequest((0..<5).map { .sample($0) }, app: "shop"))
            let answer: EnqueueAnswer = try await writer.step { .enqueue(request, $0) }
            guard case .done(let results) = answer else { throw Unexpected() }
            #expect(try await queue.counts()["shop"]?.waiting == 5)
            #expect(try await queue.claim().map(\.id) == results.compactMap(\.id))
            _ = await writer.close()
            await queue.close()
        }

        @Test func `a step that can be repeated is told that it was not confirmed`() async throws {
            let server = try #require(try PostgresServer.shared())
            let direct = try PostgresAddress(server.address(schema: server.newSchema()))
            let queue = try await PostgresQueue(direct)
            let id = try await queue.add([.sample()])[0]
            let job = try await queue.startAll()[0]
            let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: .afterTheAnswer)
            let through = server.address(schema: direct.schema).replacing(
                ":\(server.port)", with: ":\(proxy.port),127.0.0.1:\(server.port)")
            let writer = PostgresWriter(name: "cut", try PostgresAddress(through), PostgresQueueOptions()) { _ in }
            let completion = JobCompletion(job.lease, .accepted)
            await #expect {
                let _: [LeaseResult] = try await writer.step { .complete([completion], $0) }
            } throws: {
                ($0 as? QueueError)?.code == .unreachable
            }
            let again: [LeaseResult] = try await writer.step { .complete([completion], $0) }
            #expect(again == [.done])
            #expect(try await queue.job(id)?.outcome == .accepted)
            _ = await writer.close()
            await queue.close()
        }
    }
#endif
