internal import PushJSON
internal import PushProvider

/// A text that is being mended.
///
/// Each round reads it once, finds everything that can be mended for certain, and writes it anew once; so the work grows as the
/// text does, however much is wrong with it. There is a next round only because of some mistakes the reader tells when others
/// are gone.
struct RepairWork {
    private(set) var bytes: [UInt8]
    private(set) var context: LintContext
    /// How often it was read.
    private(set) var rounds = 0

    /// Texts in texts and the like come to an end sooner.
    private static let mostRounds = 20

    init(bytes: [UInt8], context: LintContext) {
        self.bytes = bytes
        self.context = context
    }

    /// Mends until nothing is left that is certain.
    ///
    /// - Returns: What was mended.
    mutating func mendAll() -> [Finding] {
        guard bytes.count <= Lint.mostBytes else { return [] }
        var mended: [Finding] = []
        while rounds < Self.mostRounds {
            rounds += 1
            let repairs = Self.apart(found())
            if repairs.isEmpty { break }
            apply(repairs.flatMap(\.edits))
            mended += repairs
        }
        return mended
    }

    // MARK: Finding

    /// The text comes first: only of what is JSON it is certain what the values are.
    private func found() -> [Finding] {
        let read = JSONReader.examine(bytes, most: .max)
        guard read.mistakes.isEmpty else {
            let lines = LineIndex(bytes)
            return read.mistakes.filter { !$0.edits.isEmpty }
                .map { PayloadText.finding($0, lines.place(of: $0.range.lowerBound)) }
        }
        guard let tree = read.tree, PayloadReading(of: tree).obstacle == nil else { return [] }
        return Lint.repairable(in: tree, context)
    }

    /// In the order of their places. Of two that change one place, the second has to wait until the first is done.
    private static func apart(_ findings: [Finding]) -> [Finding] {
        let repairs = findings.map { finding in
            (finding: finding, edits: finding.edits.sorted { $0.range.lowerBound < $1.range.lowerBound })
        }.sorted {
            ($0.edits[0].range.lowerBound, $1.edits[0].range.upperBound) < (
                $1.edits[0].range.lowerBound, $0.edits[0].range.upperBound
            )
        }
        var apart: [Finding] = []
        // Up to here the text is taken; what is put in at the very end of it takes that place too.
        var (end, endIsTaken) = (0, false)
        for (finding, edits) in repairs {
            guard let first = edits.first?.range, let last = edits.last?.range,
                first.lowerBound > end || first.lowerBound == end && !endIsTaken
            else { continue }
            (end, endIsTaken) = (last.upperBound, last.isEmpty)
            apart.append(finding)
        }
        return apart
    }

    // MARK: Writing

    private mutating func apply(_ edits: [JSONEdit]) {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var at = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[at..<edit.range.lowerBound]
            result += edit.replacement
            at = edit.range.upperBound
        }
        result += bytes[at...]
        context.payloadByteCount = context.payloadByteCount.map { $0 + result.count - bytes.count }
        bytes = result
    }
}
