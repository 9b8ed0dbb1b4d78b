import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct GroupWriterTests {
    @Test func `callers of one group get their own errors, and the others are stored`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        // The second request fails after it has stored a job.
        var wrong = EnqueueRequest([.sample(2)], app: "shop", idempotency: QueueIdempotencyKey("k", digest: []))
        wrong.isAtomic = false
        let requests = [
            EnqueueRequest([.sample(1)], app: "shop"), wrong, EnqueueRequest([.sample(3)], app: ""),
            EnqueueRequest([.sample(4)], app: "shop"),
        ]
        let calls = requests.map { request in
            { @Sendable () async throws -> EnqueueAnswer in try await queue.enqueue(request) }
        }
        let results = try await WriterGate().together(queue, calls)
        let codes = results.map { result in
            if case .failure(let error as QueueError) = result { error.code } else { nil as QueueError.Code? }
        }
        #expect(codes == [nil, .invalid, .invalid, nil])
        #expect(try await queue.counts()["shop"]?.waiting == 2)
        #expect(try await queue.claim().count == 2)
        await queue.close()
    }

    @Test func `a step that fails undoes what it has changed, in a group and alone`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add([.sample()])
        for others in [0, 2] {
            let failing: @Sendable () async throws -> Void = {
                try await queue.writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue(EnqueueRequest([.sample(9)], app: "shop"))
                    throw QueueError(.invalid, "It fails.")
                }
            }
            let check: @Sendable () async throws -> Void = {
                try await queue.checkWriting()
            }
            let results = try await WriterGate().together(queue, [failing] + Array(repeating: check, count: others))
            let errors = results.compactMap { result in
                if case .failure(let error as QueueError) = result { error.description } else { nil as String? }
            }
            #expect(errors == ["It fails."])
            #expect(try await queue.counts()["shop"]?.waiting == 1)
            #expect(try await queue.list(.all).count == 1)
        }
        await queue.close()
    }

    @Test func `a payload of a step that was undone goes out with no other job`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        for others in [0, 1] {
            let undone: @Sendable () async throws -> Void = {
                try await queue.writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue(EnqueueRequest([.sample(1, payload: "first")], app: "shop"))
                    let claimed = try transaction.claim(
                        QueueClaimRequest(owner: "worker", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
                    throw QueueError(.invalid, "It claimed \(claimed.count).")
                }
            }
            let check: @Sendable () async throws -> Void = { try await queue.checkWriting() }
            let results = try await WriterGate().together(queue, [undone] + Array(repeating: check, count: others))
            let errors = results.compactMap { result in
                if case .failure(let error as QueueError) = result { error.description } else { nil as String? }
            }
            #expect(errors == ["It claimed 1."])
            _ = try await queue.enqueue(EnqueueRequest([.sample(2, payload: "other \(others)")], app: "shop"))
            #expect(
                try await queue.claim().map { String(decoding: $0.payload, as: UTF8.self) } == ["other \(others)"])
        }
        await queue.close()
    }

    @Test func `a full disk is said to everyone, and nothing acknowledged is lost`() async throws {
        let folder = try QueueFolder()
        var options = SQLiteQueue.Options()
        options.maximumBytes = 400 << 10
        let queue = try SQLiteQueue(folder.next(), options: options)
        var ids: [UUID] = []
        var failure: QueueError?
        for number in 0..<200 where failure == nil {
            do throws(QueueError) {
                let job = NewQueueJob.sample(
                    number, payload: String(repeating: "\(number % 10)", count: 8000 + number))
                guard case .done(let results) = try await queue.enqueue(EnqueueRequest([job], app: "shop")) else {
                    break
                }
                ids += results.compactMap(\.id)
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .diskFull)
        #expect(failure?.description.contains("Free some space") ?? false)
        #expect(ids.count > 10)
        await queue.close()
        let again = try SQLiteQueue(queue.path)
        #expect(try await again.jobs(ids, app: "shop").count == ids.count)
        #expect(try await again.counts()["shop"]?.waiting == ids.count)
        _ = try await again.add([.sample()])
        await again.close()
    }

    @Test func `what is acknowledged is in the files, whenever the process is killed`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        for _ in 0..<5 {
            let acknowledged = try await withThrowingTaskGroup(of: [UUID].self) { group in
                for number in 0..<40 { group.addTask { try await queue.add([.sample(number), .sample(number)]) } }
                var ids: [UUID] = []
                while let next = try await group.next() {
                    ids += next
                    if ids.count == 40 { break }
                }
                // Other jobs are being written while the files are copied.
                let copy = try SQLiteQueue(try folder.copy(queue.path))
                #expect(try await copy.jobs(ids, app: "shop").count == ids.count)
                let counts = try await copy.counts()["shop"]
                #expect(try await copy.list(.all, limit: 1000).count == counts?.waiting)
                await copy.close()
                try await group.waitForAll()
                return ids
            }
            #expect(acknowledged.count == 40)
        }
        await queue.close()
    }
}
