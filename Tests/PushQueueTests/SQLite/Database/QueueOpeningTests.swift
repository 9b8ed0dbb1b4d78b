import GRDB
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct QueueOpeningTests {
    private let folder: QueueFolder

    init() throws {
        folder = try QueueFolder()
    }

    private func refusal(_ path: String) -> QueueError? {
        var options = SQLiteQueue.Options()
        options.busyTimeout = .milliseconds(20)
        do throws(QueueError) {
            _ = try SQLiteQueue(path, options: options)
            return nil
        } catch {
            #expect(error.description.contains(path), "\(error)")
            return error
        }
    }

    private func mode(_ path: String) throws -> UInt32 {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test func `only the owner may read the files`() async throws {
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add([.sample()])
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(queue.path + suffix) == 0o600) }
        await queue.close()
        chmod(queue.path, 0o644)
        let again = try SQLiteQueue(queue.path)
        _ = try await again.counts()
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(queue.path + suffix) == 0o600) }
        await again.close()
    }

    @Test func `a queue is there again after it was closed`() async throws {
        let queue = try SQLiteQueue(folder.next())
        let ids = try await queue.add([.sample()])
        await queue.close()
        let again = try SQLiteQueue(queue.path)
        #expect(try await again.jobs(ids, app: "shop").count == 1)
        await again.close()
    }

    @Test func `nothing is left beside the file after the end, also if it was read`() async throws {
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add([.sample()])
        async let counts = queue.counts()
        async let more = queue.add([.sample(2)])
        _ = try await (counts, more)
        await queue.close()
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: queue.path + suffix), "\(suffix)")
        }
    }

    @Test func `a queue of the first format gets campaigns, and keeps its jobs`() async throws {
        let queue = try SQLiteQueue(folder.next())
        let ids = try await queue.add([.sample()])
        await queue.close()
        let old = try DatabaseQueue(path: queue.path)
        try await old.write { database in
            try database.execute(
                sql: """
                    DROP INDEX content_collapse;
                    DROP INDEX job_reason;
                    DROP INDEX job_campaign_outcome;
                    DROP TABLE tally;
                    DROP TABLE audit;
                    DROP INDEX job_campaign;
                    ALTER TABLE job DROP COLUMN campaign;
                    ALTER TABLE job DROP COLUMN line;
                    ALTER TABLE app DROP COLUMN held;
                    DROP TABLE campaign;
                    DROP TABLE campaign_line;
                    DROP TABLE campaign_refusal;
                    DROP TABLE campaign_failure;
                    DROP TABLE campaign_outcome;
                    DROP TABLE latest;
                    PRAGMA user_version = 1;
                    """)
        }
        try old.close()
        let again = try SQLiteQueue(queue.path)
        #expect(try await again.job(ids[0])?.state == .waiting)
        guard case .created = try await again.createCampaign(NewQueueCampaign("sale", app: "shop")) else {
            throw Unexpected()
        }
        #expect(try await again.claim().map(\.id) == ids)
        await again.close()
    }

    @Test func `a folder that does not exist is refused`() {
        let error = refusal(folder.path + "/none/queue.db")
        #expect(error?.code == .unusable && error?.description.contains("Create the folder") ?? false)
    }

    @Test func `a folder instead of the file is refused`() {
        let error = refusal(folder.path)
        #expect(error?.code == .unusable && error?.description.contains("is a folder") ?? false)
    }

    @Test func `a pipe instead of the file is refused`() {
        let path = folder.next()
        #expect(mkfifo(path, 0o600) == 0)
        #expect(refusal(path)?.code == .unusable)
    }

    @Test func `a file that this user may not write is refused`() throws {
        let path = folder.next()
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        chmod(path, 0o444)
        chmod(folder.path, 0o755)
        try asOrdinaryUser {
            let error = refusal(path)
            #expect(error?.code == .unwritable && error?.description.contains("Give this user permission") ?? false)
        }
    }

    @Test func `a folder that this user may not write is refused`() throws {
        let path = folder.next()
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        try asOrdinaryUser(owning: path) {
            let error = refusal(path)
            #expect(
                error?.code == .unwritable
                    && error?.description.contains("permission to write to the folder") ?? false)
            #expect(refusal(folder.next())?.code == .unwritable)
        }
    }

    /// Runs a test in which the modes of files count, also if root runs the tests.
    private func asOrdinaryUser(owning path: String? = nil, _ body: () -> Void) throws {
        guard geteuid() == 0 else {
            chmod(folder.path, path == nil ? 0o755 : 0o555)
            defer { chmod(folder.path, 0o755) }
            return body()
        }
        let nobody: uid_t = 65534
        chmod(folder.path, 0o755)
        if let path { #expect(chown(path, nobody, gid_t.max) == 0) }
        // Only of this thread, unlike seteuid.
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let function = try #require(dlsym(nil, "setfsuid"))
        let setUser = unsafeBitCast(function, to: SetUser.self)
        _ = setUser(nobody)
        defer { _ = setUser(0) }
        body()
    }

    @Test func `a database of another program is refused, and not changed`() throws {
        let path = folder.next()
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: "CREATE TABLE song (id INTEGER)") }
        try other.close()
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(chmod(path, 0o644) == 0)
        let error = refusal(path)
        #expect(try mode(path) == 0o644)
        #expect(error?.code == .foreign && error?.description.contains("another file") ?? false)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a file that is no database is refused, and not changed`() throws {
        let path = folder.next()
        let text = Data(String(repeating: "These are notes. ", count: 100).utf8)
        try text.write(to: URL(filePath: path))
        #expect(chmod(path, 0o644) == 0)
        #expect(refusal(path)?.code == .foreign)
        #expect(try mode(path) == 0o644)
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test func `a queue of a newer version is refused`() async throws {
        let queue = try SQLiteQueue(folder.next())
        await queue.close()
        let database = try DatabaseQueue(path: queue.path)
        try await database.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        try database.close()
        let error = refusal(queue.path)
        #expect(error?.code == .newerVersion && error?.description.contains("the format 99") ?? false)
    }

    @Test func `a queue that another process keeps locked is refused`() async throws {
        let queue = try SQLiteQueue(folder.next())
        await queue.close()
        let database = try DatabaseQueue(path: queue.path)
        try await database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")
        }
        let error = refusal(queue.path)
        #expect(error?.code == .busy && error?.description.contains("Another process") ?? false)
        try database.close()
    }

    @Test func `a step says that another process writes for too long`() async throws {
        var options = SQLiteQueue.Options()
        options.busyTimeout = .milliseconds(20)
        let queue = try SQLiteQueue(folder.next(), options: options)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: queue.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect { try await queue.add([.sample()]) } throws: { ($0 as? QueueError)?.code == .busy }
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try await queue.add([.sample()]).count == 1)
        try other.close()
        await queue.close()
    }

    @Test func `a damaged queue says so`() async throws {
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add((0..<50).map { .sample($0) })
        await queue.close()
        var data = try Data(contentsOf: URL(filePath: queue.path))
        data.replaceSubrange(4096..., with: Data(repeating: 0xA5, count: data.count - 4096))
        try data.write(to: URL(filePath: queue.path))
        await #expect {
            let damaged = try SQLiteQueue(queue.path)
            _ = try await damaged.add([.sample()])
        } throws: { ($0 as? QueueError)?.code == .damaged }
    }

    /// As a bad disk, or a copy that was broken off, leaves it. Nothing may end the process, or be taken for a defect of the program.
    @Test(arguments: ["noise", "zeros", "end"])
    func `a page that is damaged harms nothing, or is said`(kind: String) async throws {
        let queue = try SQLiteQueue(folder.next())
        let ids = try await queue.add((0..<200).map { .sample($0) })
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "a", limit: 20, lease: .seconds(60), apps: ["shop": 20]))
        _ = try await queue.start(claimed.map { QueueJobStart($0.lease) })
        await queue.close()
        let whole = try Data(contentsOf: URL(filePath: queue.path))
        for page in 0..<whole.count / 4096 {
            let path = folder.next()
            var data = whole
            let range = page * 4096..<(page + 1) * 4096
            switch kind {
            case "noise": data.replaceSubrange(range, with: Data(repeating: 0xA5, count: 4096))
            case "zeros": data.replaceSubrange(range, with: Data(count: 4096))
            default: data = data.prefix(range.lowerBound + 100)
            }
            try data.write(to: URL(filePath: path))
            do {
                let damaged = try SQLiteQueue(path)
                _ = try await damaged.jobs(QueueJobQuery(app: "shop", limit: 500))
                _ = try await damaged.jobs(ids.prefix(3) + ids.suffix(3), app: "shop")
                _ = try await damaged.claim(
                    QueueClaimRequest(owner: "b", limit: 100, lease: .seconds(60), apps: ["shop": 100]))
                _ = try await damaged.add([.sample(1)])
                await damaged.close()
            } catch let error as QueueError {
                #expect(error.code != .defect, "\(kind) of page \(page): \(error)")
            }
        }
    }

    @Test func `a database that may forget its commits is refused`() throws {
        let database = try DatabaseQueue(path: folder.next())
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            let connection = try SQLConnection(database, path: "/queue.db")
            #expect { try QueueOpening.requireDurable(connection) } throws: {
                ($0 as? QueueError)?.code == .notDurable
            }
        }
    }

    @Test func `several processes may make the tables at the same time`() async throws {
        let path = folder.next()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let queue = try SQLiteQueue(path)
                    _ = try await queue.add([.sample(number)])
                    await queue.close()
                }
            }
            try await group.waitForAll()
        }
        let queue = try SQLiteQueue(path)
        #expect(try await queue.counts()["shop"]?.waiting == 6)
        await queue.close()
    }
}
