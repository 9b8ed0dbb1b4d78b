import GRDB
import PushPlatform
import QueueConformance
import TestSupport
import Testing

@testable import PushQueue

/// Databases of older versions. `Formats` has one for each format, which `scripts/lib/queue-fixture` makes once and for all.
struct OldFormatTests {
    private let folder: QueueFolder

    init() throws {
        folder = try QueueFolder()
    }

    private func database(_ format: Int) throws -> String {
        let text = Repository.text("Tests/PushQueueTests/Formats/format-\(format).sql")
        try #require(
            !text.isEmpty,
            "There is no database of the format \(format). Make it: scripts/lib/queue-fixture .build/debug")
        let path = folder.next()
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: text) }
        try database.close()
        return path
    }

    private func schema(_ path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { database in
            try String.fetchAll(database, sql: "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name")
                .map { $0.replacing(/\s+/, with: " ") }
        }
    }

    private func number(_ sql: String, _ path: String) throws -> Int? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: sql) }
    }

    @Test(arguments: 1...QueueSchema.version)
    func `a database of each format becomes one of the newest`(format: Int) async throws {
        let (old, new) = (try database(format), folder.next())
        #expect(try number("PRAGMA user_version", old) == format)
        for path in [old, new] { await (try SQLiteQueue(path)).close() }
        #expect(try number("PRAGMA user_version", old) == QueueSchema.version)
        #expect(try schema(old) == schema(new))
        #expect(try number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'", old) == 1)
    }

    @Test(arguments: 1...QueueSchema.version)
    func `jobs of each format go on`(format: Int) async throws {
        let queue = try SQLiteQueue(try database(format))
        let counts = try #require(try await queue.counts()["shop"])
        #expect(counts.waiting == 4 && counts.started == 1 && counts.deadLetters == 1)
        #expect(counts.accepted == 1 && counts.rejected == 1 && counts.notSent == 2)
        let claimed = try await queue.claim()
        #expect(Set(claimed.map { $0.target.text.prefix(2) }) == ["d1", "d2", "d3"])
        #expect(claimed.first?.target.text.hasPrefix("d2") == true)
        let kinds = try await queue.jobs(QueueJobQuery(app: "shop", filter: .state(.finished), limit: 10)).items
            .compactMap { $0.outcome?.kind }
        #expect(Set(kinds) == [.accepted, .rejected, .notSent])
        #expect(try await queue.gone(app: "shop", after: nil, limit: 10).items.count == 1)
        let letters = try await queue.list(.deadLetters)
        guard case .queued = try await queue.redrive(letters, app: "shop", expiry: .never).first else {
            Issue.record("The dead letter was not put in again.")
            return
        }
        await queue.close()
    }

    @Test(arguments: 1...QueueSchema.version)
    func `a database that was upgraded is refused by the version before, and not changed`(format: Int) async throws {
        let path = try database(format)
        let writer = try DatabaseQueue(path: path)
        // What a version with one more format leaves behind.
        try await writer.write { try $0.execute(sql: "PRAGMA user_version = \(QueueSchema.version + 1)") }
        try writer.close()
        let before = try Data(contentsOf: URL(filePath: path))
        #expect {
            _ = try SQLiteQueue(path)
        } throws: { error in
            let error = error as? QueueError
            return error?.code == .newerVersion && error?.description.contains("restore a backup") == true
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}

extension QueueJobTarget {
    fileprivate var text: String {
        switch self {
        case .device(let token): token
        case .channel(let channel): channel
        }
    }
}
