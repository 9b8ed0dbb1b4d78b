import Foundation
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// A file and a schema to which it is moved, with clocks of their own.
final class MovedQueues: Sendable {
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

    func file(isService: Bool = false, isMove: Bool = false) throws(QueueError) -> SQLiteQueue {
        var options = SQLiteQueueOptions()
        (options.queue, options.isService, options.isMove) = (Self.options(fileClock), isService, isMove)
        return try SQLiteQueue(path, options: options)
    }

    /// A copy of the file, with a schema of its own.
    func copy() throws -> MovedQueues {
        let copy = try MovedQueues()
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy.path + end)
        }
        return copy
    }

    var serverOptions: PostgresQueueOptions { .with(Self.options(serverClock)) }

    func server() async throws(QueueError) -> PostgresQueue {
        try await PostgresQueue(address, options: serverOptions)
    }

    /// Moves a number of batches, then ends as if the process was killed.
    ///
    /// - Returns: Whether the move has ended.
    func move(steps: Int = .max, batchSize: Int = 4000, target: PostgresQueue? = nil) async throws -> Bool {
        let source = try file(isService: true, isMove: true)
        let target = if let target { target } else { try await server() }
        let move = QueueMove(from: source, to: target, staying: ["webhook_cursor"], batchSize: batchSize)
        try await move.settle()
        var state = try await move.begin()
        var left = steps
        while !state.isComplete, left > 0 {
            state = try await move.step(state)
            left -= 1
        }
        if state.isComplete, left > 0 {
            let proof = try await move.prove(state)
            #expect(proof.isComplete, "\(proof) \(state)")
            try await move.end(state)
        }
        let isDone = state.isComplete && left > 0
        await source.close()
        if isDone { await target.close() } else { await target.abort() }
        return isDone
    }
}
