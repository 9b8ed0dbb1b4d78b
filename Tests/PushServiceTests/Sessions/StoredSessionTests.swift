import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Sessions that several workers share.
@Suite struct StoredSessionTests {
    private static let proof = KeyProof(id: "abcdefgh", digest: Array(repeating: 7, count: 32))

    /// Runs a test with the sessions of two workers, and a function that lets time pass for both and their queue.
    private func withTwo(
        _ body: (SQLiteQueue, Sessions, Sessions, (Duration) -> Void) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let time = ManualTime()
        var options = SQLiteQueue.Options()
        let start = QueueTime.now
        options.queue.clock = { start + time.passed }
        let queue = try SQLiteQueue(folder.path("queue.sqlite"), options: options)
        let one = Sessions(queue) { time.instant }
        let other = Sessions(queue) { time.instant }
        try await body(queue, one, other) { time.advance(by: $0) }
        await queue.close()
    }

    @Test func `a session of one worker is known to the others, also after a restart`() async throws {
        try await withTwo { queue, one, other, _ in
            let (id, session) = try #require(try await one.open(Self.proof))
            #expect(try await one.session(id) == session)
            #expect(try await other.session(id) == session)
            #expect(try await Sessions(queue).session(id) == session)
            #expect(session.key == Self.proof)
        }
    }

    @Test func `the queue has no id, and a session has an end`() async throws {
        try await withTwo { queue, one, other, pass in
            let (id, _) = try #require(try await one.open(Self.proof))
            let records = try await queue.records(kind: Sessions.kind, after: nil, limit: 10)
            #expect(records.count == 1)
            for record in records {
                #expect(record.key != id && !String(decoding: record.value, as: UTF8.self).contains(id))
            }
            pass(Sessions.lifetime - .seconds(1))
            #expect(try await other.session(id) != nil)
            pass(.seconds(1))
            #expect(try await other.session(id) == nil)
            // The next login removes it.
            _ = try await other.open(Self.proof)
            #expect(try await queue.records(kind: Sessions.kind, after: nil, limit: 10).count == 1)
        }
    }

    @Test func `a logout ends a session at once for its worker, and soon for the others`() async throws {
        try await withTwo { _, one, other, pass in
            let (id, _) = try #require(try await one.open(Self.proof))
            #expect(try await other.session(id) != nil)
            #expect(try await one.session(id) != nil)
            try await one.close(id)
            #expect(try await one.session(id) == nil)
            #expect(try await other.session(id) != nil)
            pass(Sessions.cacheTime)
            #expect(try await other.session(id) == nil)
        }
    }

    @Test func `a key that logs in again and again ends its own sessions, and nobody else's`() async throws {
        try await withTwo { queue, one, _, pass in
            let other = KeyProof(id: "bcdefghi", digest: Array(repeating: 8, count: 32))
            let (mine, _) = try #require(try await one.open(other))
            let (first, _) = try #require(try await one.open(Self.proof))
            pass(.seconds(10))
            for _ in 0..<Sessions.maximum / 2 { _ = try await one.open(Self.proof) }
            pass(Sessions.cacheTime)
            #expect(try await one.session(mine) != nil)
            #expect(try await one.session(first) == nil)
            let count = try await queue.records(kind: Sessions.kind, after: nil, limit: 1000).count
            #expect(count == Sessions.maximum / 2 + 1)
        }
    }

    @Test func `too many sessions make room by the end of the one that ends first`() async throws {
        try await withTwo { queue, one, _, pass in
            let (first, _) = try #require(try await one.open(Self.proof))
            pass(.seconds(10))
            let other = KeyProof(id: "bcdefghi", digest: Array(repeating: 8, count: 32))
            for number in 1..<Sessions.maximum { _ = try await one.open(number % 2 == 0 ? Self.proof : other) }
            #expect(try await one.session(first) != nil)
            let (last, _) = try #require(try await one.open(Self.proof))
            pass(Sessions.cacheTime)
            #expect(try await one.session(first) == nil)
            #expect(try await one.session(last) != nil)
            #expect(try await queue.records(kind: Sessions.kind, after: nil, limit: 1000).count == Sessions.maximum)
        }
    }
}
