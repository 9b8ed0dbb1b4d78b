import Foundation
import GRDB
import PushPlatform
import PushQueue
import QueueConformance
import Testing

/// Exporting a damaged file.
struct DamagedExportTests {
    @Test(arguments: [("policy", "the policy of a job is 70000"), ("priority", "the priority of a job is 70000")])
    func `a damaged number ends an export with an error`(column: String, words: String) async throws {
        let folder = try QueueFolder()
        let path = folder.next()
        let queue = try SQLiteQueue(path)
        _ = try await queue.add([.sample(1)])
        await queue.close()
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "UPDATE job SET \(column) = 70000") }
        try database.close()
        var options = SQLiteQueue.Options()
        options.isExport = true
        let file = try SQLiteQueue(path, options: options)
        let export = try await file.seal(for: nil)
        await #expect {
            try await file.export(export, without: []) { (_) throws(QueueError) in }
        } throws: {
            ($0 as? QueueError)?.code == .damaged && "\($0)".contains(words)
        }
        await file.close()
    }
}
