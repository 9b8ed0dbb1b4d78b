import NIOConcurrencyHelpers
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

/// What happens to the files of a queue while it is open: nothing is confirmed that a restart would not find.
struct QueueFilesTests {
    private let folder: QueueFolder

    init() throws {
        folder = try QueueFolder()
    }

    private func open(_ path: String, isService: Bool = true) throws -> SQLiteQueue {
        var options = SQLiteQueue.Options()
        options.isService = isService
        return try SQLiteQueue(path, options: options)
    }

    /// A queue in a folder of its own, which can be moved away.
    private func nested() throws -> String {
        let inner = folder.next()
        #expect(mkdir(inner, 0o700) == 0)
        return "\(inner)/queue.db"
    }

    @Test(arguments: ["", "-wal", "-shm", "folder"])
    func `nothing is confirmed while a file is away, and all that was before is there again`(part: String) async throws
    {
        let path = try nested()
        let moved = part == "folder" ? String(path.dropLast("/queue.db".count)) : path + part
        let queue = try open(path)
        let before = try await queue.add([.sample(1)])
        #expect(rename(moved, moved + "-away") == 0)
        for _ in 1...2 {
            await #expect { try await queue.add([.sample(2)]) } throws: {
                guard let error = $0 as? QueueError else { return false }
                return error.code == .unusable && error.description.contains("was removed or moved")
            }
        }
        await #expect(throws: QueueError.self) { try await queue.checkWriting() }
        await #expect(throws: QueueError.self) { try await queue.claim() }
        #expect(rename(moved + "-away", moved) == 0)
        let after = try await queue.add([.sample(3)])
        await queue.close()
        let again = try open(path)
        #expect(try await again.jobs(before + after, app: "shop").count == 2)
        #expect(try await again.counts()["shop"]?.waiting == 2, "the refused one is nowhere")
        await again.close()
    }

    @Test(arguments: [["-wal"], ["-wal", "-shm"]])
    func `a log that is removed takes nothing along, also if the service is killed`(removed: [String]) async throws {
        let reports = NIOLockedValueBox<[String]>([])
        var options = SQLiteQueue.Options()
        options.report = { text in reports.withLockedValue { $0.append(text) } }
        let path = folder.next()
        options.reportInterval = .seconds(3600)
        let queue = try SQLiteQueue(path, options: options)
        let ids = try await queue.add((1...20).map { .sample($0) })
        for suffix in removed { #expect(unlink(path + suffix) == 0) }
        for _ in 1...2 {
            await #expect { try await queue.add([.sample(21)]) } throws: {
                ($0 as? QueueError)?.description.contains("The database has everything that was stored before") == true
            }
        }
        // The first reader makes an empty log in its place, which changes nothing.
        _ = try? await queue.counts()
        await #expect { try await queue.add([.sample(21)]) } throws: {
            ($0 as? QueueError)?.description.contains("The database has everything that was stored before") == true
        }
        #expect(reports.withLockedValue { $0 }.count == 1)
        #expect(reports.withLockedValue { $0 }.first?.contains("stop the service in the normal way") == true)
        let killed = try open(try folder.copy(path))
        #expect(try await killed.jobs(ids, app: "shop").count == 20)
        #expect(try await killed.counts()["shop"]?.waiting == 20)
        await killed.close()
        await queue.close()
        let again = try open(path)
        #expect(try await again.add([.sample(21)]).count == 1)
        #expect(try await again.counts()["shop"]?.waiting == 21)
        await again.close()
    }

    @Test func `another log in the place of the first one is left alone`() async throws {
        let path = folder.next()
        let queue = try open(path)
        _ = try await queue.add([.sample(1)])
        #expect(rename(path + "-wal", path + "-wal.away") == 0)
        #expect(FileManager.default.createFile(atPath: path + "-wal", contents: nil))
        await #expect { try await queue.add([.sample(2)]) } throws: {
            ($0 as? QueueError)?.description.contains("was replaced") == true
        }
        // The first log has its job still.
        #expect(FileManager.default.contents(atPath: path + "-wal.away")?.isEmpty == false)
        #expect(rename(path + "-wal.away", path + "-wal") == 0)
        _ = try await queue.add([.sample(2)])
        await queue.close()
    }

    @Test func `a file that is replaced or removed while the queue is opened is noticed`() async throws {
        let (path, other) = (folder.next(), folder.next())
        let queue = try open(path)
        await (try open(other)).close()
        let before = try #require(FileIdentity(path))
        _ = try QueueFiles(path, opened: before, SQLiteQueue.Options())
        #expect { _ = try QueueFiles(path, opened: FileIdentity(other), SQLiteQueue.Options()) } throws: {
            ($0 as? QueueError)?.description.contains("\(path) was replaced while") == true
        }
        for suffix in ["-wal", "-shm"] {
            #expect(rename(path + suffix, path + ".away") == 0)
            #expect { _ = try QueueFiles(path, opened: before, SQLiteQueue.Options()) } throws: {
                ($0 as? QueueError)?.description.contains("\(suffix) was removed or moved while") == true
            }
            #expect(rename(path + ".away", path + suffix) == 0)
        }
        await queue.close()
    }

    @Test func `a copy in the place of the database is not the queue`() async throws {
        let queue = try open(try nested())
        _ = try await queue.add([.sample(1)])
        try FileManager.default.copyItem(atPath: queue.path, toPath: queue.path + ".copy")
        #expect(rename(queue.path + ".copy", queue.path) == 0)
        await #expect { try await queue.add([.sample(2)]) } throws: {
            ($0 as? QueueError)?.description.contains("was replaced") == true
        }
        await queue.close()
    }

    @Test func `a link to another folder in the path is noticed`() async throws {
        let (path, other) = (try nested(), folder.next())
        let inner = String(path.dropLast("/queue.db".count))
        #expect(symlink(inner, other) == 0)
        let queue = try open(other + "/queue.db")
        _ = try await queue.add([.sample(1)])
        let empty = folder.next()
        #expect(mkdir(empty, 0o700) == 0 && unlink(other) == 0 && symlink(empty, other) == 0)
        await #expect(throws: QueueError.self) { try await queue.add([.sample(2)]) }
        await queue.close()
    }

    @Test func `a second name of the database is refused, and noticed while the queue is open`() async throws {
        let (path, other) = (folder.next(), folder.next())
        let queue = try open(path)
        _ = try await queue.add([.sample(1)])
        #expect(link(path, other) == 0)
        await #expect { try await queue.add([.sample(2)]) } throws: {
            ($0 as? QueueError)?.description.contains("has 2 names (hard links)") == true
        }
        #expect { _ = try open(other) } throws: { ($0 as? QueueError)?.code == .unusable }
        #expect(unlink(other) == 0)
        _ = try await queue.add([.sample(3)])
        await queue.close()
        #expect(link(path, other) == 0)
        for name in [path, other] {
            #expect { _ = try open(name, isService: false) } throws: {
                ($0 as? QueueError)?.description.contains("hard links") == true
            }
        }
    }

    #if os(Linux)
        @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file"))
        func `a database that is mounted without its folder is refused`() async throws {
            let (outside, inside) = (folder.next(), folder.next() + " inside")
            try await open(outside).close()
            close(PushPlatform.open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            #expect(mount(outside, inside, "", UInt(MS_BIND), nil) == 0)
            defer { umount2(inside, Int32(MNT_DETACH)) }
            #expect { _ = try open(inside) } throws: {
                ($0 as? QueueError)?.description.contains("is mounted without its folder") == true
            }
            try await open(outside).close()
        }
    #endif

    @Test func `a problem is reported once, and not with every step`() async throws {
        let reports = NIOLockedValueBox<[String]>([])
        var options = SQLiteQueue.Options()
        options.report = { text in reports.withLockedValue { $0.append(text) } }
        options.reportInterval = .seconds(3600)
        let queue = try SQLiteQueue(folder.next(), options: options)
        _ = try await queue.add([.sample(1)])
        func texts() -> [String] { reports.withLockedValue { $0 } }
        #expect(texts().isEmpty)
        #expect(rename(queue.path, queue.path + ".away") == 0)
        for _ in 1...3 { await #expect(throws: QueueError.self) { try await queue.checkWriting() } }
        #expect(texts().count == 1)
        #expect(texts().first?.contains(queue.path) == true)
        #expect(rename(queue.path + ".away", queue.path) == 0)
        try await queue.checkWriting()
        #expect(rename(queue.path, queue.path + ".away") == 0)
        await #expect(throws: QueueError.self) { try await queue.checkWriting() }
        #expect(texts().count == 2, "it is another problem")
        await queue.close()
    }

    @Test func `a new queue does not remove the latest changes of one that was moved away`() async throws {
        let path = folder.next()
        let queue = try open(path)
        _ = try await queue.add([.sample(1)])
        let killed = try folder.copy(path)
        await queue.close()
        #expect(rename(killed, killed + ".away") == 0)
        #expect { _ = try open(killed) } throws: {
            ($0 as? QueueError)?.description.contains("\(killed)-wal has the latest changes") == true
        }
        #expect(access(killed, F_OK) != 0, "no empty queue lies there")
        #expect(rename(killed + ".away", killed) == 0)
        let again = try open(killed)
        #expect(try await again.counts()["shop"]?.waiting == 1)
        await again.close()
    }
}
