import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

/// Which workers live is known by locks, so what a killed one had is free at once.
struct OwnerLocksTests {
    private let folder: QueueFolder

    init() throws {
        folder = try QueueFolder()
    }

    @Test func `an owner lives while its queue is open, and for itself`() throws {
        let path = folder.next()
        let (mine, others) = (OwnerLocks(queue: path), OwnerLocks(queue: path))
        #expect(!others.isDead("a"), "there is no file that says so")
        try mine.hold("a")
        try others.hold("b")
        #expect(!mine.isDead("a") && !others.isDead("a"))
        #expect(!mine.isDead("b") && mine.isDead("c"))
        mine.close()
        #expect(others.isDead("a"))
    }

    @Test func `two processes with one name live as long as one of them`() throws {
        let path = folder.next()
        let (first, second, third) = (OwnerLocks(queue: path), OwnerLocks(queue: path), OwnerLocks(queue: path))
        try first.hold("a")
        try second.hold("a")
        first.close()
        #expect(!third.isDead("a"))
        second.close()
        #expect(third.isDead("a"))
    }

    /// Between the fork and the start of its program, a child process has all open files of its parent.
    @Test func `released locks are free although a child process still has the file open`() throws {
        let path = folder.next()
        let (mine, others) = (OwnerLocks(queue: path), OwnerLocks(queue: path))
        try mine.holdService()
        try mine.hold("a")
        let copy = try duplicate(ofFileAt: mine.path)
        defer { close(copy) }
        #expect(!others.isDead("a"))
        mine.close()
        #expect(others.isDead("a"))
        try others.holdService()
    }

    /// A second descriptor of a file that this process has open once. The locks belong to both descriptors, as after a fork.
    private func duplicate(ofFileAt path: String) throws -> Int32 {
        var wanted = stat()
        let isThere = stat(path, &wanted) == 0
        try #require(isThere)
        let descriptor = (0..<getdtablesize()).first { descriptor in
            var found = stat()
            return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
        }
        let copy = dup(try #require(descriptor))
        try #require(copy >= 0)
        return copy
    }

    @Test func `an owner takes its lock again when someone has removed the file`() throws {
        let path = folder.next()
        let (mine, others) = (OwnerLocks(queue: path), OwnerLocks(queue: path))
        try mine.hold("a")
        unlink(mine.path)
        try mine.hold("a")
        #expect(!others.isDead("a"))
    }

    @Test func `the file lies beside the file that a link points to, and is for its owner only`() throws {
        let path = folder.next()
        let queue = try SQLiteQueue(path)
        let link = folder.next()
        #expect(symlink(path, link) == 0)
        let locks = OwnerLocks(queue: link)
        #expect(locks.path == OwnerLocks(queue: path).path)
        try locks.hold("a")
        var status = stat()
        #expect(stat(locks.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        _ = queue
    }

    @Test func `a file that cannot be opened is refused with its path`() throws {
        let path = folder.next()
        #expect(mkdir(path + "-owners", 0o700) == 0)
        #expect {
            try OwnerLocks(queue: path).hold("a")
        } throws: {
            ($0 as? QueueError)?.description.contains("\(path)-owners") == true
        }
    }

    @Test func `a queue has one service, also after someone has removed the file`() async throws {
        var options = SQLiteQueue.Options()
        options.isService = true
        let path = folder.next()
        let first = try SQLiteQueue(path, options: options)
        #expect { try SQLiteQueue(path, options: options) } throws: { ($0 as? QueueError)?.code == .busy }
        let command = try SQLiteQueue(path)
        unlink(first.owners.path)
        _ = try await first.claim()
        #expect { try SQLiteQueue(path, options: options) } throws: { ($0 as? QueueError)?.code == .busy }
        await command.close()
        await first.close()
        let next = try SQLiteQueue(path, options: options)
        await next.close()
    }

    @Test func `a queue has one service, whatever becomes of the locked file and of its own name`() async throws {
        var options = SQLiteQueue.Options()
        options.isService = true
        let path = folder.next()
        let first = try SQLiteQueue(path, options: options)
        unlink(first.owners.path)
        #expect { try SQLiteQueue(path, options: options) } throws: { ($0 as? QueueError)?.code == .busy }
        let moved = folder.next()
        // The file alone is a whole queue then.
        await first.checkpoint()
        #expect(rename(path, moved) == 0)
        #expect { try SQLiteQueue(moved, options: options) } throws: { ($0 as? QueueError)?.code == .busy }
        #expect(rename(moved, path) == 0)
        await first.close()
        let next = try SQLiteQueue(path, options: options)
        await next.close()
    }

    /// Without a database, as a service of an older version: it has only the lock in this file.
    @Test func `a service that has lost its lock takes no job, however often it asks`() throws {
        let path = folder.next()
        let (mine, others) = (OwnerLocks(queue: path), OwnerLocks(queue: path))
        try mine.holdService()
        unlink(mine.path)
        try others.holdService()
        for _ in 1...3 { #expect(throws: QueueError.self) { try mine.hold("a") } }
        others.close()
        try mine.hold("a")
    }

    @Test func `the jobs of a worker that was killed go to another one at once`() async throws {
        let path = folder.next()
        let (killed, other) = (try SQLiteQueue(path), try SQLiteQueue(path))
        let ids = try await killed.add([.sample(1), .sample(2)])
        let claimed = try await killed.claim(10, lease: .seconds(60), owner: "killed")
        #expect(claimed.count == 2)
        #expect(try await killed.start([claimed[0].lease]) == [.done])
        #expect(try await other.recoverLeases() == QueueLeaseRecovery(), "it lives")
        killed.owners.close()
        let recovery = try await other.recoverLeases()
        #expect(recovery.waiting + recovery.unknown == ids.count)
        #expect(try await killed.start([claimed[1].lease]) == [.lost], "what it still says is refused")
        for queue in [killed, other] { await queue.close() }
    }
}
