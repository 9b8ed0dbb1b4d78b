import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

/// What SQLite's locks do between processes: within one process they are other code.
@Suite(.enabled(if: OtherProcess.isPossible, "python3 has no SQLite"))
struct OtherProcessTests {
    private let folder: QueueFolder

    init() throws {
        folder = try QueueFolder()
    }

    private func open(_ path: String? = nil, busyTimeout: Duration = .seconds(10)) throws -> SQLiteQueue {
        var options = SQLiteQueue.Options()
        options.busyTimeout = busyTimeout
        return try SQLiteQueue(path ?? folder.next(), options: options)
    }

    @Test func `a step waits for another process that writes, and both are stored`() async throws {
        let queue = try open()
        let impatient = try open(queue.path, busyTimeout: .milliseconds(20))
        let other = try OtherProcess(queue.path)
        #expect(other.run("BEGIN IMMEDIATE") == "done")
        #expect(other.run("UPDATE clock SET checked = 41") == "done")
        await #expect { try await impatient.add([.sample(1)]) } throws: { ($0 as? QueueError)?.code == .busy }
        let waiting = Task { try await queue.add([.sample(2)]) }
        #expect(other.run("COMMIT") == "done")
        #expect(try await waiting.value.count == 1)
        try await impatient.checkWriting()
        #expect(other.run("SELECT checked FROM clock") == "42")
        #expect(other.run("SELECT count(*) FROM job") == "1")
        for queue in [queue, impatient] { await queue.close() }
    }

    @Test func `another process cannot write while a step does`() async throws {
        let queue = try open()
        let other = try OtherProcess(queue.path)
        let answer = try await queue.writer.write { (_) throws(QueueError) in other.run("BEGIN IMMEDIATE") }
        #expect(answer == "database is locked")
        #expect(other.run("BEGIN IMMEDIATE") == "done")
        await queue.close()
    }

    @Test func `another process reads what was committed while the queue writes`() async throws {
        let queue = try open()
        let other = try OtherProcess(queue.path)
        _ = try await queue.add([.sample()])
        #expect(other.run("BEGIN") == "done")
        #expect(other.run("SELECT count(*) FROM job") == "1")
        _ = try await queue.add((1..<6).map { .sample($0) })
        let jobs = try await queue.startAll()
        for job in jobs { #expect(try await queue.complete(job, .accepted) == .done) }
        #expect(other.run("SELECT count(*) FROM job") == "1", "it reads what was there when it began")
        #expect(other.run("SELECT sum(state) FROM job") == "0")
        #expect(other.run("COMMIT") == "done")
        #expect(other.run("SELECT count(*) FROM job WHERE state = 3") == "6")
        await queue.close()
    }

    @Test func `another process that is killed while it writes changes nothing`() async throws {
        let queue = try open()
        let ids = try await queue.add((0..<5).map { .sample($0) })
        let other = try OtherProcess(queue.path)
        #expect(other.run("BEGIN IMMEDIATE") == "done")
        #expect(other.run("DELETE FROM job") == "done")
        let waiting = Task { try await queue.claim() }
        other.kill()
        #expect(try await waiting.value.map(\.id) == ids)
        await queue.close()
        let again = try open(queue.path)
        #expect(try await again.counts()["shop"]?.leased == 5)
        await again.close()
    }

    @Test func `a file that another process keeps for itself is refused`() async throws {
        let queue = try open()
        await queue.close()
        let other = try OtherProcess(queue.path)
        _ = other.run("PRAGMA locking_mode = EXCLUSIVE")
        #expect(other.run("BEGIN EXCLUSIVE") == "done")
        #expect { _ = try open(queue.path, busyTimeout: .milliseconds(20)) } throws: {
            ($0 as? QueueError)?.code == .busy
        }
        other.kill()
        let again = try open(queue.path)
        #expect(try await again.add([.sample()]).count == 1)
        await again.close()
    }

    @Test func `a second queue in this process takes no lock from the first one`() async throws {
        let queue = try open()
        let other = try OtherProcess(queue.path)
        let answer = try await queue.writer.write { (_) throws(QueueError) in
            // A file that is opened and closed again would give up all locks of the process.
            try QueueFile.prepare(queue.path)
            return other.run("BEGIN IMMEDIATE")
        }
        #expect(answer == "database is locked")
        await queue.close()
    }

    @Test func `a service that is refused or ends takes no lock from another queue of its process`() async throws {
        var options = SQLiteQueue.Options()
        options.isService = true
        let service = try SQLiteQueue(folder.next(), options: options)
        let queue = try SQLiteQueue(service.path)
        let other = try OtherProcess(queue.path)
        #expect(throws: QueueError.self) { try SQLiteQueue(queue.path, options: options) }
        // This needs the whole file for itself.
        #expect(other.run("PRAGMA journal_mode = DELETE") == "database is locked")
        await service.close()
        #expect(other.run("PRAGMA journal_mode = DELETE") == "database is locked")
        let next = try SQLiteQueue(queue.path, options: options)
        for queue in [queue, next] { await queue.close() }
        #expect(other.run("PRAGMA journal_mode = DELETE") == "delete")
    }
}
