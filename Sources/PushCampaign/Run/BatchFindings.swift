internal import NIOConcurrencyHelpers
public import PushProvider

/// What one rule found in the lines of a campaign: the full finding for the first line, and the number of lines.
public struct BatchFinding: Sendable {
    /// What is wrong with the first line.
    public let finding: PushFinding
    /// The index of the file of the first line, from 0.
    public let file: Int
    /// The number of the first line in its file, or in the sequence, from 1.
    public let line: Int
    /// How many lines break the rule.
    public internal(set) var lines = 1
}

/// The findings so far. They can be read while lines are checked.
final class BatchFindings: Sendable {
    private struct State {
        var findings: [BatchFinding] = []
        /// The index in `findings` for each rule.
        var indices: [String: Int] = [:]
        var unfilled: [UnfilledPlaceholder] = []
    }

    private let state = NIOLockedValueBox(State())

    /// All findings, in the order in which they were found.
    var all: [BatchFinding] { state.withLockedValue { $0.findings } }

    /// The placeholders with a default that none of a stream's first lines has a value for.
    var unfilled: [UnfilledPlaceholder] {
        get { state.withLockedValue { $0.unfilled } }
        set { state.withLockedValue { $0.unfilled = newValue } }
    }

    /// Adds the findings of one line. Each rule counts once per line.
    func add(_ findings: [PushFinding], _ row: BatchRow) {
        state.withLockedValue { state in
            for finding in Self.oncePerRule(findings) {
                if let index = state.indices[finding.rule] {
                    state.findings[index].lines += 1
                } else {
                    state.indices[finding.rule] = state.findings.count
                    state.findings.append(BatchFinding(finding: finding, file: row.file, line: row.line))
                }
            }
        }
    }

    private static func oncePerRule(_ findings: [PushFinding]) -> [PushFinding] {
        var rules: Set<String> = []
        return findings.filter { rules.insert($0.rule).inserted }
    }
}
