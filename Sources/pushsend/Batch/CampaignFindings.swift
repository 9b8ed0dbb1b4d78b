internal import PushCampaign
import PushCommandLine
internal import PushJSON
import PushProvider

/// The findings of the rules in the lines of a campaign. Each rule is reported once.
struct CampaignFindings: Sendable {
    private let files: [String]
    private var reportedRules: Set<String>

    /// Creates an empty value. The rules in `reportedRules` are not reported again.
    init(files: [String], reportedRules: Set<String> = []) {
        self.files = files
        self.reportedRules = reportedRules
    }

    /// Returns a line for each rule, and for each placeholder without a value, that was not reported yet.
    mutating func unreported(of findings: [BatchFinding], _ unfilled: [UnfilledPlaceholder] = []) -> [String] {
        findings.filter { reportedRules.insert($0.finding.rule).inserted }.map(text)
            + unfilled.filter { reportedRules.insert($0.placeholder).inserted }.map(\.descriptionForFirstLines)
    }

    /// For example `people.csv:17: warning: ... [sound-extension]`.
    private func text(_ found: BatchFinding) -> String {
        let finding = found.finding
        let subject = finding.location == nil ? "\(finding.subject): " : ""
        return "\(position(found)): \(finding.severity.rawValue): \(subject)\(finding.textWithFlags) [\(finding.rule)]"
    }

    private func position(_ found: BatchFinding) -> String {
        let name = files.indices.contains(found.file) ? files[found.file] : "-"
        return "\(name == "-" ? "standard input" : name.printable):\(found.line)"
    }

    /// Returns how many lines break each rule, the most frequent rule first.
    func table(of findings: [BatchFinding]) -> [String] {
        let sorted = findings.sorted { ($1.lines, $0.finding.rule) < ($0.lines, $1.finding.rule) }
        let counts = sorted.map { CampaignText.grouped($0.lines) }
        let widestCount = counts.map(\.count).max() ?? 0
        let widestRule = sorted.map(\.finding.rule.count).max() ?? 0
        return zip(sorted, counts).map { found, count in
            let label = found.finding.rule.padded(to: widestRule)
            let number = count.aligned(to: widestCount)
            let unit = found.lines == 1 ? "line, " : "lines, the first"
            return "  \(label)  \(number) \(unit) \(position(found)) (\(found.finding.severity.rawValue))"
        }
    }

    static func json(_ findings: [BatchFinding], files: [String]) -> PushJSONValue {
        .array(
            findings.map { found in
                .object([
                    "rule": .string(found.finding.rule), "severity": .string(found.finding.severity.rawValue),
                    "lines": .integer(found.lines), "first_line": .integer(found.line),
                    "file": .string(files.indices.contains(found.file) ? files[found.file] : "-"),
                    "problem": .string(found.finding.problem), "remedy": .string(found.finding.adviceWithFlags),
                ])
            })
    }
}
