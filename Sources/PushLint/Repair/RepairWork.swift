internal import PushJSON
public import PushProvider

/// The repair of a text.
///
/// Each round reads the text once, finds all certain repairs, and writes the text once. So the time is proportional to the length
/// of the text, with any number of mistakes. Another round is needed for mistakes that become visible after others are repaired.
struct RepairWork {
    private(set) var bytes: [UInt8]
    private(set) var context: LintContext
    private(set) var rounds = 0

    /// The maximum number of rounds. The repair stops then; usual texts need fewer.
    private static let maximumRounds = 20

    /// Repairs until there is no certain repair left.
    ///
    /// - Returns: The repaired findings.
    mutating func mendAll() -> [PushFinding] {
        guard bytes.count <= PayloadLint.maximumBytes else { return [] }
        var mended: [PushFinding] = []
        while rounds < Self.maximumRounds {
            rounds += 1
            let repairs = Self.apart(found())
            if repairs.isEmpty { break }
            apply(repairs.flatMap(\.edits))
            mended += repairs
        }
        return mended
    }

    // MARK: Finding

    /// Returns the findings that can be repaired. Mistakes in the JSON come first: values are certain only in valid JSON.
    private func found() -> [PushFinding] {
        let read = JSONReader.examine(bytes, maximum: .max)
        guard read.mistakes.isEmpty else {
            let lines = LineIndex(bytes)
            return read.mistakes.filter { !$0.edits.isEmpty }
                .map { PayloadText.finding($0, lines.position(of: $0.range.lowerBound)) }
        }
        guard let tree = read.tree, PayloadFacts(of: tree).problem == nil else { return [] }
        return PayloadLint.repairable(in: tree, context)
    }

    /// Returns the findings in the order of their positions. If two repairs overlap, the second waits for the next round.
    private static func apart(_ findings: [PushFinding]) -> [PushFinding] {
        let repairs = findings.map { finding in
            (finding: finding, edits: finding.edits.sorted { $0.range.lowerBound < $1.range.lowerBound })
        }.sorted {
            ($0.edits[0].range.lowerBound, $1.edits[0].range.upperBound) < (
                $1.edits[0].range.lowerBound, $0.edits[0].range.upperBound
            )
        }
        var apart: [PushFinding] = []
        // The end of the last repair. An insertion at this position occupies the position, too.
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

extension PayloadLint {
    /// The result of a repair: a payload in which all certain repairs are done.
    public struct Repair: Sendable {
        /// The repaired text; unchanged if nothing could be repaired.
        public let json: [UInt8]
        /// The repaired findings, with their positions in the text before the repair.
        public let mended: [PushFinding]
        /// The remaining findings, with their positions in the new text.
        public let left: [PushFinding]
    }

    /// Repairs all mistakes that have only one possible correction.
    ///
    /// All other bytes stay unchanged.
    /// - Parameters:
    ///   - json: The text of the payload.
    ///   - context: The known parts of the request.
    /// - Returns: The repaired text, the repaired findings and the remaining findings.
    public static func repaired(_ json: [UInt8], _ context: LintContext = LintContext()) -> Repair {
        var work = RepairWork(bytes: json, context: context)
        let mended = work.mendAll()
        return Repair(json: work.bytes, mended: mended, left: findings(in: work.bytes, work.context))
    }
}
