import PushCommandLine
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import pushserve

/// The lines of an export, and its file.
struct ExportLineTests {
    private static func rows(_ part: ExportPart) -> [ExportRow] {
        let full = part.columns.enumerated().map { index, column -> ExportValue in
            switch column.kind {
            case .number: .number(Int64(index) - 3)
            case .text: .text("a \"\\\n\u{1}é\(index)")
            case .bytes: .bytes([0, 255, UInt8(index)])
            }
        }
        return [
            ExportRow(part, full), ExportRow(part, full.map { _ in .null }),
            ExportRow(part, full.enumerated().map { $0.isMultiple(of: 2) ? .null : $1 }),
        ]
    }

    @Test(arguments: ExportPart.allCases) func `a row is read as it was written`(part: ExportPart) {
        for row in Self.rows(part) {
            var line: [UInt8] = []
            ExportLine.write(row, to: &line)
            #expect(ExportLine.row(line) == row)
            #expect(line.last == UInt8(ascii: "\n") && line.dropLast().allSatisfy { $0 >= 0x20 })
        }
    }

    @Test(arguments: [
        #"{"type":"job","unknown":1}"#, #"{"type":"job","line":"one"}"#, #"{"type":"other"}"#, #"{"kind":"record"}"#,
        #"{"type":"record","value":"no Base64!"}"#, "[]", "", "{",
    ])
    func `a line that this version does not know is no row`(line: String) {
        #expect(ExportLine.row(Array(line.utf8)) == nil)
    }

    @Test func `jobs get the payloads that they share, also when the first lines are left out`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("export")
        let writer = try ExportWriter(path)
        writer.begin(
            ExportLine.Head(export: UUID(), source: UUID(), sealed: QueueTime(milliseconds: 5), jobs: 6))
        func job(_ number: Int64?) throws {
            var row = ExportRow(.job, ExportPart.job.columns.map { _ in .null })
            if let number { row["payload_number"] = .number(number) }
            try writer.add(row)
        }
        for (number, byte) in [(0, 1), (1, 2), (0, 3)] as [(Int64, UInt8)] {
            try writer.add(ExportRow(.payload, [.number(number), .bytes([byte])]))
            try job(number)
            try job(nil)
        }
        try writer.finish()
        try writer.publish()
        #expect(try ExportReader.verify(path)?.lines == 9)
        var lines = 0
        let stopped = try ExportReader.verify(path) {
            lines += 1
            return lines < 5
        }
        #expect(stopped == nil && lines == 5)
        let payloads: [[UInt8]?] = [[1], nil, [2], nil, [3], nil]
        // How many jobs the first lines have.
        for (done, jobs) in [0, 0, 1, 2, 2, 3, 4, 4, 5, 6].enumerated() {
            var reader = try ExportReader(path, after: done)
            let batch = try reader.batch()
            #expect((batch?.rows ?? []).map { $0["payload"].bytes } == Array(payloads.dropFirst(jobs)))
            if let batch { #expect(batch.start == done && batch.end == 9) }
            #expect(try reader.batch() == nil)
        }
    }

    @Test func `an export during which the queue was unsealed leaves no file`() async throws {
        let folder = try TemporaryFolder()
        var options = SQLiteQueue.Options()
        options.isExport = true
        let queue = try SQLiteQueue(folder.path("queue.sqlite"), options: options)
        let export = try await queue.seal(for: nil)
        let path = folder.path("export")
        let head = ExportLine.Head(
            export: export.id, source: UUID(), target: nil, sealed: export.sealed, jobs: 0)
        #expect(try await queue.unseal())
        await #expect {
            let writer = try ExportWriter(path)
            _ = try await ExportCommand.write(queue, export, head, writer) { false }
        } throws: {
            ($0 as? CommandFailure)?.status == .tryAgain
        }
        for name in [path, path + ".part"] { #expect(access(name, F_OK) != 0) }
        await queue.close()
    }

    @Test func `two exports do not write the same file, and one that ends early leaves none`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("export")
        var first: ExportWriter? = try ExportWriter(path)
        #expect(throws: CommandFailure.self) { _ = try ExportWriter(path) }
        first?.abandon()
        first = nil
        #expect(access(path + ".part", F_OK) != 0)
        _ = try ExportWriter(path)
    }
}
