import Foundation
import TestSupport

/// The plans of all statements that a server has run, with the rows that each step of a plan really read.
struct PlanLog {
    /// A step of a plan.
    struct Step: Sendable, CustomStringConvertible {
        var statement: String
        var kind: String
        var table: String
        /// The rows that it read, in all loops.
        var rows: Double

        var description: String { "\(Int(rows)) rows by \(kind) of \(table) in: \(statement)" }
    }

    /// Settings of a server that writes plans into its log, and never gathers statistics.
    static let settings = [
        "session_preload_libraries=auto_explain", "auto_explain.log_min_duration=0", "auto_explain.log_analyze=on",
        "auto_explain.log_timing=off", "auto_explain.log_buffers=on", "auto_explain.log_format=json", "autovacuum=off",
    ]

    let steps: [Step]
    /// The statements in the order in which they ran, and how many pages each has read.
    let runs: [(statement: String, pages: Int)]

    /// Reads the log of a server.
    init(of server: PostgresServer) throws {
        let text = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
        var (steps, plan): ([Step], [Substring]) = ([], [])
        var runs: [(statement: String, pages: Int)] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("\t") {
                plan.append(line)
            } else {
                try Self.read(plan, into: &steps, &runs)
                plan = []
            }
        }
        try Self.read(plan, into: &steps, &runs)
        (self.steps, self.runs) = (steps, runs)
    }

    private static func read(
        _ lines: [Substring], into steps: inout [Step], _ runs: inout [(statement: String, pages: Int)]
    ) throws {
        guard lines.first == "\t{" else { return }
        let whole = try JSONSerialization.jsonObject(with: Data(lines.joined(separator: "\n").utf8))
        guard let whole = whole as? [String: Any], let plan = whole["Plan"] as? [String: Any] else { return }
        let statement = whole["Query Text"] as? String ?? ""
        let pages = ["Shared Hit Blocks", "Shared Read Blocks"].map { (plan[$0] as? NSNumber)?.intValue ?? 0 }
        runs.append((statement, pages.reduce(0, +)))
        read(plan, of: statement, into: &steps)
    }

    private static func read(_ plan: [String: Any], of statement: String, into steps: inout [Step]) {
        func number(_ key: String) -> Double { (plan[key] as? NSNumber)?.doubleValue ?? 0 }
        // PostgreSQL logs the average of the loops.
        let removed = ["Filter", "Join Filter", "Index Recheck"].map { number("Rows Removed by \($0)") }
        let rows = (number("Actual Rows") + removed.reduce(0, +)) * number("Actual Loops")
        let table = plan["Relation Name"] as? String ?? plan["Index Name"] as? String ?? "-"
        steps.append(Step(statement: statement, kind: plan["Node Type"] as? String ?? "", table: table, rows: rows))
        for child in plan["Plans"] as? [[String: Any]] ?? [] { read(child, of: statement, into: &steps) }
    }
}
