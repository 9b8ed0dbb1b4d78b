import PushJSON
internal import PushProvider

/// The result lines for the files of a campaign, gathered so that many results cost one write per file.
struct BatchPages {
    private var lines: BatchResultLines
    private(set) var gone: [UInt8] = []
    private(set) var again: [UInt8] = []
    private(set) var unknown: [UInt8] = []
    private(set) var ends: [JournalBlock.Outcome] = []

    private let takesGoneAtFaceValue: Bool

    init(files: [String], takesGoneAtFaceValue: Bool = false) {
        lines = BatchResultLines(files: files)
        self.takesGoneAtFaceValue = takesGoneAtFaceValue
    }

    var results: [UInt8] { lines.bytes }
    var isEmpty: Bool { ends.isEmpty }

    mutating func removeAll() {
        lines.removeAll()
        gone.removeAll(keepingCapacity: true)
        again.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Adds a result. A line that the next run sends gets no line in the files.
    mutating func add(_ result: BatchResult) {
        if result.fate == .released { return release(result) }
        // The outcome alone would lose that the line was started.
        if result.end == .notSent, result.endOfReleased == .returned {
            ends.append(JournalBlock.Outcome(index: result.index, end: .returned))
        }
        ends.append(JournalBlock.Outcome(index: result.index, end: result.end))
        lines.add(result)
        let row = result.row
        switch result.outcome {
        case _ where result.goesAgain: Self.write(row.text, to: &again)
        case .push(.unknown(let outcome)): writeUnknown(row, outcome.apnsID)
        case .interrupted: writeUnknown(row, result.interruptedID ?? "")
        case .push(.rejected(let rejection)) where rejection.isTokenGone(atFaceValue: takesGoneAtFaceValue):
            if let token = row.deviceToken { Self.write(token, to: &gone) }
        case .push, .invalid, .duplicate: break
        }
    }

    /// Adds a line that was not accepted and has no outcome yet.
    mutating func release(_ result: BatchResult) {
        // It may have been sent by an earlier run: it stays marked.
        guard !result.row.wasMarked else { return }
        ends.append(JournalBlock.Outcome(index: result.index, end: result.endOfReleased))
    }

    private static func write(_ line: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Writes the line with the id that it was sent with, so that it can be sent again with the same id. No key may
    /// occur twice.
    private mutating func writeUnknown(_ row: BatchRow, _ id: String) {
        guard !row.hasID, !id.isEmpty, let brace = row.text.firstIndex(of: UInt8(ascii: "{")) else {
            return Self.write(row.text, to: &unknown)
        }
        // A line without an id may have `null` in its place.
        if let tree = try? JSONReader.tree(row.text), let null = tree.member("apns_id", of: JSONTree.root) {
            let range = tree.range(of: null)
            let text = row.text[..<range.lowerBound] + "\"\(id)\"".utf8 + row.text[range.upperBound...]
            return Self.write(text, to: &unknown)
        }
        unknown += "{\"apns_id\":\"".utf8
        unknown += id.utf8
        unknown += "\",".utf8
        Self.write(row.text[(brace + 1)...], to: &unknown)
    }
}
