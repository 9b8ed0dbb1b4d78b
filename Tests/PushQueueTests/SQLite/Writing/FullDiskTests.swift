#if os(Linux)
    import NIOConcurrencyHelpers
    import PushPlatform
    import QueueConformance
    import Testing

    @testable import PushQueue

    @Suite(.enabled(if: SmallDisk.isPossible, "only root can make a small disk"))
    struct FullDiskTests {
        /// The results of the requests of a group.
        private struct Outcome {
            var stored: [UUID] = []
            var refused = 0
            /// How often steps ran. Each runs again if the group cannot be committed.
            var runs = 0
        }

        /// Takes jobs in, a request for each number, in one group.
        private func enqueue(_ numbers: Range<Int>, _ queue: SQLiteQueue) async throws -> Outcome {
            let runs = NIOLockedValueBox(0)
            let calls = numbers.map { number in
                { @Sendable () async throws -> [UUID] in
                    let job = NewQueueJob.sample(number, payload: "\(number) " + String(repeating: "x", count: 6000))
                    return try await queue.writer.write { (transaction) throws(QueueError) in
                        runs.withLockedValue { $0 += 1 }
                        let answer = try transaction.enqueue(EnqueueRequest([job], app: "shop"))
                        guard case .done(let results) = answer else { return [] }
                        return results.compactMap(\.id)
                    }
                }
            }
            var outcome = Outcome()
            for result in try await WriterGate().together(queue, calls) {
                switch result {
                case .success(let ids): outcome.stored += ids
                case .failure(let error):
                    #expect((error as? QueueError)?.code == .diskFull, "\(error)")
                    outcome.refused += 1
                }
            }
            outcome.runs = runs.withLockedValue { $0 }
            return outcome
        }

        @Test func `a group that cannot be committed stores what it confirms, and nothing else`() async throws {
            let disk = try SmallDisk(bytes: 4 << 20)
            let folder = try QueueFolder()
            let queue = try SQLiteQueue(disk.path + "/queue.db")
            try disk.fill(3 << 20)
            var (stored, refused, size, hasFailed): ([UUID], Int, Int, Bool) = ([], 0, 16, false)
            for round in 0..<40 where refused < 40 {
                let first = round * size
                let outcome = try await enqueue(first..<first + size, queue)
                stored += outcome.stored
                refused += outcome.refused
                if outcome.runs > size { hasFailed = true }
                #expect(outcome.stored.count + outcome.refused == size)
                #expect(try await queue.counts()["shop"]?.waiting ?? 0 == stored.count)
            }
            size = stored.count
            #expect(hasFailed && refused >= 40 && size > 0)
            // What a killed process would leave on the full disk.
            let copy = try SQLiteQueue(try folder.copy(queue.path))
            #expect(try await copy.jobs(stored, app: "shop").count == size)
            #expect(try await copy.list(.all, limit: 1000).count == size)
            await copy.close()
            disk.free()
            #expect(try await enqueue(10_000..<10_016, queue).stored.count == 16)
            await queue.close()
            let again = try SQLiteQueue(queue.path)
            #expect(try await again.jobs(stored, app: "shop").count == size)
            #expect(try await again.list(.all, limit: 1000).count == size + 16)
            #expect(try await again.claim(1000).count == size + 16)
            await again.close()
        }
    }
#endif
