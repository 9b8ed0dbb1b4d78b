import NIOConcurrencyHelpers
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

/// Sealing a queue in a file, and what a sealed queue does.
struct QueueSealTests {
    private let folder: QueueFolder
    private let path: String

    init() throws {
        folder = try QueueFolder()
        path = folder.next()
    }

    private func exporting() throws -> SQLiteQueue {
        var options = SQLiteQueue.Options()
        options.isExport = true
        return try SQLiteQueue(path, options: options)
    }

    private func isSealed(_ error: any Error) -> Bool { (error as? QueueError)?.code == .sealed }

    @Test func `a sealed queue can be read and not be changed, not even by a process that has it open since before`()
        async throws
    {
        let before = try SQLiteQueue(path)
        let ids = try await before.add([.sample(1), .sample(2)])
        let exporting = try exporting()
        let export = try await exporting.seal(for: nil)
        for queue in [before, try SQLiteQueue(path)] {
            await #expect { _ = try await queue.add([.sample(3)]) } throws: { isSealed($0) }
            await #expect { _ = try await queue.claim() } throws: { isSealed($0) }
            await #expect { _ = try await queue.cancel(ids, app: "shop") } throws: { isSealed($0) }
            await #expect { try await queue.checkWriting() } throws: {
                isSealed($0) && "\($0)".contains("pushserve queue unseal")
            }
            #expect(try await queue.counts()["shop"]?.waiting == 2)
            #expect(try await queue.seal() == .exported(export))
        }
        // The same export again, and then the queue goes on.
        #expect(try await exporting.seal(for: nil) == export)
        #expect(try await exporting.unseal())
        #expect(try await !exporting.unseal())
        #expect(try await before.add([.sample(3)]).count == 1)
        let claimed = try await before.claim()
        #expect(claimed.count == 3)
        _ = try await before.giveBack(claimed.map(\.lease))
        // Another export has another id.
        #expect(try await exporting.seal(for: nil).id != export.id)
        await before.close()
        await exporting.close()
    }

    @Test func `a service that starts on a sealed queue says so, and goes on when it is unsealed`() async throws {
        let exporting = try exporting()
        _ = try await exporting.seal(for: nil)
        let reports = NIOLockedValueBox<[String]>([])
        var options = SQLiteQueue.Options()
        (options.isService, options.report) = (true, { text in reports.withLockedValue { $0.append(text) } })
        let service = try SQLiteQueue(path, options: options)
        #expect(reports.withLockedValue { $0.count } == 1)
        #expect(reports.withLockedValue { $0[0] }.contains("is sealed, because it was exported"))
        await #expect { try await service.checkWriting() } throws: { isSealed($0) }
        #expect(try await exporting.unseal())
        try await service.checkWriting()
        await service.close()
        await exporting.close()
    }

    @Test func `once a queue has begun to import the export, no other one may, and the seal stays`() async throws {
        let file = try exporting()
        let entry = QueueAuditEntry(app: "", content: [1])
        let export = try await file.seal(for: nil, audit: entry)
        // A repeated export is no other change, and neither is what is refused.
        _ = try await file.seal(for: nil, audit: entry)
        #expect(try await file.audit(of: nil, before: nil, limit: 9).count == 1)
        let (first, second) = (UUID(), UUID())
        await #expect { try await file.claim(UUID(), for: first) } throws: {
            ($0 as? QueueError)?.code == .invalid && "\($0)".contains("isn't sealed by the export")
        }
        try await file.claim(export.id, for: first)
        try await file.claim(export.id, for: first)
        await #expect { try await file.claim(export.id, for: second) } throws: {
            isSealed($0) && "\($0)".contains("was exported for the queue \(first.text)")
        }
        await #expect { _ = try await file.seal(for: second) } throws: { isSealed($0) }
        await #expect { _ = try await file.unseal(audit: entry) } throws: {
            isSealed($0) && "\($0)".contains("for good")
        }
        #expect(try await file.audit(of: nil, before: nil, limit: 9).count == 1)
        #expect(try await file.seal(for: first).target == first)
        await file.close()
    }

    @Test func `an export for a queue is sealed for good from the beginning`() async throws {
        let file = try exporting()
        let target = UUID()
        #expect(try await file.seal(for: nil).target == nil)
        #expect(try await file.seal(for: target).target == target)
        await #expect { _ = try await file.unseal() } throws: { isSealed($0) }
        await file.close()
    }

    @Test func `jobs of a worker that lives stop the export, and nothing is sealed`() async throws {
        let worker = try SQLiteQueue(path)
        _ = try await worker.add([.sample(1)])
        _ = try await worker.startAll(lease: .seconds(3600))
        let file = try exporting()
        await #expect { _ = try await file.seal(for: nil) } throws: {
            ($0 as? QueueError)?.code == .busy && "\($0)".contains("is still sending 1 job")
        }
        #expect(try await worker.seal() == nil)
        // Its process ends: what it was sending is settled.
        await worker.close()
        _ = try await file.seal(for: nil)
        #expect(try await file.counts()["shop"]?.unknown == 1)
        await file.close()
    }

    @Test(arguments: [
        ("moving", "is being moved to postgres://db/x by \"pushserve queue move\" of an earlier version"),
        ("moved", "was moved to postgres://db/x."), ("nonsense", "is being moved to postgres://db/x"),
    ])
    func `a file that an earlier version was moving opens, takes no change, and says what to do`(
        word: String, sentence: String
    ) async throws {
        let file = try SQLiteQueue(path)
        _ = try await file.add([.sample(1)])
        let mark = [word, UUID().uuidString, "5", "postgres://db/x"].joined(separator: "\0")
        _ = try await file.store(Array(mark.utf8), kind: "queue_move", key: "source", ifVersion: nil)
        await file.close()
        let moved = try SQLiteQueue(path)
        #expect(try await moved.counts()["shop"]?.waiting == 1)
        await #expect { _ = try await moved.claim() } throws: { isSealed($0) && "\($0)".contains(sentence) }
        await moved.close()
        let exporting = try exporting()
        await #expect { _ = try await exporting.seal(for: nil) } throws: { isSealed($0) }
        await #expect { _ = try await exporting.unseal() } throws: { isSealed($0) }
        await exporting.close()
    }

    @Test func `a seal is read as it was written`() {
        let export = QueueExport(
            id: UUID(), sealed: QueueTime(milliseconds: 7), steady: SteadyTime(milliseconds: 8), target: nil)
        var claimed = export
        claimed.target = UUID()
        let progress = QueueImport(of: UUID(), lines: 5, present: 2)
        let seals: [QueueSeal] = [
            .exported(export), .exported(claimed), .importing(progress), .moved(address: "a", isDone: true),
            .moved(address: "a", isDone: false),
        ]
        for seal in seals { #expect(QueueSeal(seal.bytes) == seal) }
        #expect(QueueImport(done: progress.bytes) == progress)
    }
}
