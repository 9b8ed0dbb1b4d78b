internal import NIOConcurrencyHelpers
public import PushProvider

/// What a rule says of the lines of a campaign: of the first that breaks it in full, and of how many.
public struct BatchFinding: Sendable {
    /// What is wrong with the first.
    public let finding: Finding
    /// Which of the files it is in, from 0.
    public let file: Int
    /// Its number in the file, from 1; in a sequence its place, from 1.
    public let line: Int
    /// How many lines break the rule.
    public internal(set) var lines = 1
}

/// What the rules have found so far, for whoever wants to know while lines are read.
final class BatchFindings: Sendable {
    private struct State {
        var findings: [BatchFinding] = []
        /// Where the finding of a rule stands in them.
        var places: [String: Int] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// In the order in which they were found.
    var all: [BatchFinding] { state.withLockedValue { $0.findings } }

    /// Takes those of a line; each rule counts once for it.
    func add(_ findings: [Finding], _ row: BatchRow) {
        state.withLockedValue { state in
            for finding in Self.oncePerRule(findings) {
                if let place = state.places[finding.rule] {
                    state.findings[place].lines += 1
                } else {
                    state.places[finding.rule] = state.findings.count
                    state.findings.append(BatchFinding(finding: finding, file: row.file, line: row.line))
                }
            }
        }
    }

    private static func oncePerRule(_ findings: [Finding]) -> [Finding] {
        var rules: Set<String> = []
        return findings.filter { rules.insert($0.rule).inserted }
    }
}
