import NIOConcurrencyHelpers
import PushPlatform
import QueueConformance
import TestSupport

@testable import PushQueue

/// A folder for the files of queues. It is removed with the object.
final class QueueFolder: Sendable {
    private let folder: TemporaryFolder
    private let count = NIOLockedValueBox(0)

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: String { folder.url.path(percentEncoded: false) }

    struct NoFolder: Error {}

    /// A path for a new queue.
    func next() -> String {
        let number = count.withLockedValue { count in
            count += 1
            return count
        }
        return "\(path)/queue-\(number).db"
    }

    /// Copies the files of a queue as they are now, as a killed process leaves them.
    func copy(_ queue: String) throws -> String {
        let copy = next()
        for suffix in ["-wal", "-owners", ""] where access(queue + suffix, F_OK) == 0 {
            try FileManager.default.copyItem(atPath: queue + suffix, toPath: copy + suffix)
        }
        return copy
    }
}

extension QueueUnderTest {
    /// Queues in files.
    static func sqlite() throws -> QueueUnderTest {
        let folder = try QueueFolder()
        return QueueUnderTest(
            clock: ManualClock(),
            open: { try SQLiteQueue(folder.next(), options: .with($0)) },
            knowsEndedProcesses: true,
            reopenAfterKill: { queue, options in
                guard let queue = queue as? SQLiteQueue else { throw QueueFolder.NoFolder() }
                let copy = try folder.copy(queue.path)
                await queue.close()
                return try SQLiteQueue(copy, options: .with(options))
            })
    }
}

extension SQLiteQueue.Options {
    static func with(_ queue: QueueOptions) -> SQLiteQueue.Options {
        var options = SQLiteQueue.Options()
        options.queue = queue
        return options
    }
}
