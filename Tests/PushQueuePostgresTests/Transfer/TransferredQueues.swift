import Foundation
import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// A queue in a file and a schema into which it is imported, with clocks of their own.
final class TransferredQueues: Sendable {
    let path: String
    let address: PostgresAddress
    let fileClock = ManualClock()
    let serverClock = ManualClock()
    private let folder: TemporaryFolder

    /// `server` is the server of the target. If it is `nil`, the server that the tests share is used.
    convenience init(to server: PostgresServer? = nil) throws {
        let shared = try PostgresServer.shared()
        let server = try #require(server ?? shared)
        try self.init(at: try PostgresAddress(server.address(schema: server.newSchema())))
    }

    /// `address` is that of the target.
    init(at address: PostgresAddress) throws {
        folder = try TemporaryFolder()
        path = folder.path("queue.sqlite")
        self.address = address
        // The steady clocks of the two differ.
        serverClock.advance(by: .seconds(5000))
        serverClock.jump(by: .seconds(-5000))
    }

    private static func options(_ clock: ManualClock) -> QueueOptions {
        var options = QueueOptions()
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = clock.boot
        return options
    }

    func file(isExport: Bool = false) throws(QueueError) -> SQLiteQueue {
        var options = SQLiteQueue.Options()
        (options.queue, options.isExport) = (Self.options(fileClock), isExport)
        return try SQLiteQueue(path, options: options)
    }

    /// A copy of the file, with a schema of its own.
    func copy() throws -> TransferredQueues {
        let copy = try TransferredQueues()
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy.path + end)
        }
        return copy
    }

    var serverOptions: PostgresQueue.Options { .with(Self.options(serverClock)) }

    func server(isImport: Bool = false) async throws(QueueError) -> PostgresQueue {
        var options = serverOptions
        options.isImport = isImport
        return try await PostgresQueue(address, options: options)
    }

    /// Seals the file, and reads the batches of its export.
    func export(batchSize: Int = 4000, to target: UUID) async throws -> (QueueExport, [ImportBatch]) {
        let source = try file(isExport: true)
        let export = try await source.seal(for: nil)
        try await source.claim(export.id, for: target)
        let rows = NIOLockedValueBox<[ExportRow]>([])
        let staying = QueueSeal.kinds.union(["webhook_cursor"])
        try await source.export(export, without: staying) { (row) throws(QueueError) in
            rows.withLockedValue { $0.append(row) }
        }
        await source.close()
        return (export, Self.batches(of: export, rows.withLockedValue { $0 }, batchSize))
    }

    private static func batches(of export: QueueExport, _ rows: [ExportRow], _ size: Int) -> [ImportBatch] {
        var (batches, payloads): ([ImportBatch], [Int64: ExportValue]) = ([], [:])
        for (index, row) in rows.enumerated() {
            if row.part == .payload {
                payloads[row["number"].number ?? -1] = row["body"]
                continue
            }
            var row = row
            if let number = row["payload_number"].number { row["payload"] = payloads[number] ?? .null }
            if let last = batches.last, last.part == row.part, last.rows.count < size {
                batches[batches.count - 1].rows.append(row)
                batches[batches.count - 1].end = index + 1
            } else {
                let start = batches.last?.end ?? 0
                batches.append(
                    ImportBatch(of: export.id, sealed: export.sealed, row.part, [row], from: start, to: index + 1))
            }
        }
        return batches
    }

    /// Imports a number of batches, then ends as if the process was killed. The time stands still, as if it took none.
    ///
    /// - Returns: Whether the import is complete.
    func transfer(steps: Int = .max, batchSize: Int = 4000, target: PostgresQueue? = nil) async throws -> Bool {
        let target = if let target { target } else { try await server(isImport: true) }
        let (export, batches) = try await export(batchSize: batchSize, to: QueueIdentity.of(target))
        var (progress, isDone) = try await target.beginImport(export.id)
        for batch in batches.filter({ $0.start >= progress.lines }).prefix(steps) where !isDone {
            progress = try await target.take(batch)
            #expect(progress.lines == batch.end)
        }
        if progress.lines == batches.last?.end ?? 0, !isDone, steps == .max {
            try await target.endImport(progress)
            isDone = true
        }
        if isDone { await target.close() } else { await target.abort() }
        return isDone
    }
}
