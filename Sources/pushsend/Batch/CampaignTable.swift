internal import PushCampaign
import PushCommandLine
import PushProvider

/// The outcomes of a campaign as a table with bars.
///
/// ```text
/// 1,000,000 lines in 10.3 s, 97,087 a second
///
///   accepted   988,120   98.8 %  ███████████████████████████████████████
///   rejected    11,880    1.2 %  ▌
///
///   Unregistered  11,880
///
///   answers took  50 %: 9.8 ms   90 %: 14 ms   99 %: 21 ms   99.9 %: 40 ms   all: 61 ms
///   used          7.1 s of CPU, 7.1 us a line; 31 MiB peak memory
/// ```
struct CampaignTable {
    var summary: BatchSummary
    var percentiles: [CampaignFigures.Percentile]
    var seconds: Double
    var usage: ProcessUsage

    /// The maximum width of a bar, in columns.
    private static let widestBar = 40
    /// The minimum width of the longest bar, in columns. If less is free, there are no bars.
    private static let narrowestBar = 4
    /// The maximum number of reasons in the table. The rest are counted in one line.
    private static let maximumReasons = 20

    var text: String { text(columns: nil) }

    /// Returns the table for a terminal width; `nil` if it is not shown on a terminal. No line is longer than the
    /// width.
    func text(columns: Int?) -> String {
        var lines = [Self.heading(summary, seconds)]
        var kinds = CampaignText.kinds(summary).filter { $0.count > 0 }.map { ($0.title, $0.count) }
        if summary.released > 0 { kinds.append(("still to send", summary.released)) }
        lines += section(kinds, of: summary.resultCount, columns)
        let reasons = summary.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { ($0.key.printable, $0.value) }
        lines += section(Array(reasons.prefix(Self.maximumReasons)), of: summary.resultCount, columns)
        if reasons.count > Self.maximumReasons {
            lines.append("  and \(reasons.count - Self.maximumReasons) other reasons")
        }
        lines.append("")
        if !percentiles.isEmpty {
            let parts = percentiles.map {
                "\($0.name == "100" ? "all" : "\($0.name) %"): \(Self.time($0.milliseconds))"
            }
            lines += Self.paragraph("answers took", parts, gap: "   ", columns)
        }
        lines += Self.paragraph("used", used, gap: " ", columns)
        return lines.joined(separator: "\n")
    }

    /// Returns the parts after a title, in as few lines as possible.
    private static func paragraph(_ title: String, _ parts: [String], gap: String, _ columns: Int?) -> [String] {
        let start = "  " + title.padded(to: 14)
        var lines = [start + (parts.first ?? "")]
        for part in parts.dropFirst() {
            let longer = lines[lines.count - 1] + gap + part
            if longer.count < columns ?? .max {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(repeating: " ", count: start.count) + part)
            }
        }
        return lines
    }

    static func heading(_ summary: BatchSummary, _ seconds: Double) -> String {
        let lines = CampaignText.lines(summary.resultCount)
        let time = seconds < 1 ? time(seconds * 1000) : duration(seconds)
        // In less than a second, most of the time is the start.
        guard seconds >= 1, summary.concluded > 0 else { return "\(lines) in \(time)" }
        let rate = Double(summary.concluded) / seconds
        return "\(lines) in \(time), \(rate < 10 ? tenths(rate) : CampaignText.grouped(Int(rate))) a second"
    }

    private var used: [String] {
        let cpu = Self.duration(usage.cpuSeconds)
        let memory = "\(usage.peakMemory / (1 << 20)) MiB peak memory"
        // With few lines, most of the CPU time is the start of the process.
        guard summary.concluded >= 1000 else { return ["\(cpu) of CPU;", memory] }
        let each = Self.tenths(usage.cpuSeconds * 1e6 / Double(summary.concluded))
        return ["\(cpu) of CPU,", "\(each) us a line;", memory]
    }

    private func section(_ rows: [(title: String, count: Int)], of total: Int, _ columns: Int?) -> [String] {
        guard !rows.isEmpty else { return [] }
        let counts = rows.map { CampaignText.grouped($0.count) }
        let widestCount = counts.map(\.count).max() ?? 0
        // Two between columns, and seven for the share.
        let maximumColumns = columns.map { max(8, $0 - widestCount - 14) } ?? .max
        let titles = rows.map { TerminalWidth.cut($0.title, to: maximumColumns) }
        let widestTitle = titles.map { TerminalWidth.of($0) }.max() ?? 0
        let widestBar = columns.map { min(Self.widestBar, $0 - widestTitle - widestCount - 16) } ?? Self.widestBar
        return [""]
            + zip(zip(titles, rows), counts).map { row, count in
                let title = row.0 + String(repeating: " ", count: widestTitle - TerminalWidth.of(row.0))
                let number = count.aligned(to: widestCount)
                let share = Double(row.1.count) / Double(max(total, 1))
                let bar = widestBar < Self.narrowestBar ? "" : "  \(Self.bar(share, widest: widestBar))"
                return "  \(title)  \(number)  \(Self.percent(share))\(bar)"
            }
    }

    // MARK: Words

    /// Returns a bar, in steps of an eighth of a column. A share above 0 is always visible.
    static func bar(_ share: Double, widest: Int = widestBar) -> String {
        let eighths = max(share > 0 ? 1 : 0, Int((share * Double(widest * 8)).rounded()))
        let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + last
    }

    /// For example ` 98.8 %`. A share below 100 % is never shown as 100 %, and a share above 0 never as 0.
    static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        if share > 0, tenths == 0 { return "< 0.1 %" }
        let shown = share < 1 ? min(tenths, 999) : tenths
        return "\(shown / 10).\(shown % 10) %".aligned(to: 7)
    }

    static func time(_ milliseconds: Double) -> String {
        milliseconds < 10
            ? "\(tenths(milliseconds)) ms"
            : milliseconds < 10_000
                ? "\(Int(milliseconds.rounded())) ms" : duration(milliseconds / 1000)
    }

    /// For example `0.4 s`, `12 s`, `3:05 min`, `2:10 h`.
    static func duration(_ seconds: Double) -> String {
        if seconds < 10 { return "\(tenths(seconds)) s" }
        // Limits very large and infinite values.
        let whole = seconds < 1e9 ? Int(seconds.rounded()) : 1_000_000_000
        if whole < 60 { return "\(whole) s" }
        let (large, small, unit) = whole < 3600 ? (whole / 60, whole % 60, "min") : (whole / 3600, whole / 60 % 60, "h")
        return "\(large):\(small < 10 ? "0" : "")\(small) \(unit)"
    }

    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
