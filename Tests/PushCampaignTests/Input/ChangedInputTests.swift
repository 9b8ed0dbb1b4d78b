import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// A file that is changed while its lines are read.
@Suite(.timeLimit(.minutes(10))) struct ChangedInputTests {
    private static let count = 60_000
    /// More than is read in one piece.
    private static let whole = (0..<count).map { "\(String($0 + 0x10_0000, radix: 16))\n" }.joined()

    enum Change: CaseIterable {
        case cut, cutWithinLine, emptied, grown, grownWithinLine, rewritten, replaced
    }

    private static func change(_ change: Change, _ index: TemporaryFolder) throws {
        switch change {
        case .cut: #expect(truncate(index.path("lines"), 7 * 50_000) == 0)
        case .cutWithinLine: #expect(truncate(index.path("lines"), 7 * 50_000 + 4) == 0)
        case .emptied: #expect(truncate(index.path("lines"), 0) == 0)
        case .grown: try append("123456\n", index)
        case .grownWithinLine: try append("34\n", index)
        case .rewritten: try overwrite("ffffff\nffffff\n", index)
        case .replaced:
            try index.write(whole.utf8, to: "other")
            #expect(rename(index.path("other"), index.path("lines")) == 0)
        }
    }

    private static func append(_ text: String, _ index: TemporaryFolder) throws {
        let file = try FileHandle(forWritingTo: index.url.appending(path: "lines"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private static func overwrite(_ text: String, _ index: TemporaryFolder) throws {
        let file = try FileHandle(forWritingTo: index.url.appending(path: "lines"))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    /// Reads up to the end, or to where it fails.
    private static func read(_ rows: inout FileRows) async throws -> [String] {
        var tokens: [String] = []
        while case let some = try await rows.next(500, unless: { false }), !some.isEmpty {
            tokens += some.map(\.deviceToken.hex)
        }
        return tokens
    }

    private static func rows(_ index: TemporaryFolder, _ names: [String] = ["lines"]) throws -> FileRows {
        let template = try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8)
        return FileRows(
            names.map(index.path), format: nil, RowReader(BatchDefaults(topic: "a", template: template)))
    }

    @Test(arguments: Change.allCases)
    func `is no end, and no part of a line goes out`(change: Change) async throws {
        let index = try TemporaryFolder()
        // The last line has no end where the rest of it may still come.
        let text = change == .grownWithinLine ? String(Self.whole.dropLast(3)) : Self.whole
        try index.write(text.utf8, to: "lines")
        var rows = try Self.rows(index)
        var tokens = try await rows.next(500) { false }.map(\.deviceToken.hex)
        try Self.change(change, index)
        var failure: BatchInputError?
        do {
            while case let some = try await rows.next(500, unless: { false }), !some.isEmpty {
                tokens += some.map(\.deviceToken.hex)
            }
        } catch let error as BatchInputError {
            failure = error
        }
        #expect(failure?.code == .changed, "\(change): \(tokens.count) lines and no error")
        #expect(failure?.description.hasPrefix(index.path("lines")) == true)
        #expect(tokens.allSatisfy { $0.utf8.count == 6 })
        let known = Set(Self.whole.split(separator: "\n").map(String.init))
        #expect(tokens.allSatisfy { known.contains($0) })
        #expect(Set(tokens).count == tokens.count)
        // Whole lines that were there from the beginning are not held back.
        if change == .grown { #expect(tokens.count == Self.count) }
        if change == .grownWithinLine { #expect(tokens.count == Self.count - 1) }
        await #expect(throws: BatchInputError.self) { try await rows.next(1) { false } }
    }

    @Test func `an unchanged file is read to its last line, which needs no line end`() async throws {
        let index = try TemporaryFolder()
        try index.write(Self.whole.dropLast().utf8, to: "lines")
        try index.write("ab".utf8, to: "more")
        try index.write("".utf8, to: "none")
        var rows = try Self.rows(index, ["none", "lines", "more"])
        let tokens = try await Self.read(&rows)
        #expect(tokens.count == Self.count + 1)
        #expect(tokens.last == "ab")
    }

    @Test func `a campaign whose file is cut goes on when the file is whole again`() async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        let index = try TemporaryFolder()
        let lines = (0..<300).map { "\(String($0 + 0x1000, radix: 16))\n" }.joined()
        let path = try index.write(lines.utf8, to: "lines")
        let facts = try PushBatch.facts(ofFiles: [path])
        let template = try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8)
        var options = BatchOptions()
        options.window = 8
        for isCut in [true, false] {
            let folder = try BatchFolder(index.path("out"), facts: facts)
            let batch = PushBatch(
                files: [path], BatchDefaults(topic: "com.example.app", template: template), through: client,
                folder: folder, options: options, now: Date(timeIntervalSince1970: 0))
            if isCut {
                let failure = await #expect(throws: BatchInputError.self) {
                    try await batch.run { _, _ in #expect(truncate(path, 1000) == 0) }
                }
                #expect(failure?.code == .changed)
                try index.write(lines.utf8, to: "lines")
                #expect(try PushBatch.facts(ofFiles: [path]) == facts)
            } else {
                #expect(!folder.isFinished)
                #expect(try await batch.run().isFinished)
            }
        }
        #expect(mock.arrivalCount == 300)
        #expect(Set(mock.arrivals.map(\.deviceToken)).count == 300)
        #expect(try BatchFolder(index.path("out"), facts: facts).isFinished)
        await mock.stop()
    }

    @Test func `a file that is deleted is read to its end`() async throws {
        let index = try TemporaryFolder()
        try index.write(Self.whole.utf8, to: "lines")
        var rows = try Self.rows(index)
        _ = try await rows.next(500) { false }
        #expect(unlink(index.path("lines")) == 0)
        #expect(try await Self.read(&rows).count == Self.count - 500)
    }

    @Test func `a file is refused that is another one when its turn comes`() async throws {
        let index = try TemporaryFolder()
        try index.write("aa\n".utf8, to: "lines")
        try index.write("bb\n".utf8, to: "more")
        var rows = try Self.rows(index, ["lines", "more"])
        try index.write("cc\ndd\n".utf8, to: "more")
        #expect(try await rows.next(500) { false }.map(\.deviceToken.hex) == ["aa"])
        await #expect(throws: BatchInputError.self) { try await rows.next(500) { false } }
    }
}
