internal import PushCampaign
import PushPlatform
import PushProvider

/// The report of a campaign as one HTML page without other files: figures, charts, and a light and a dark theme.
struct CampaignPage {
    var title: String
    /// Input, server, and times, each as name and value.
    var facts: [(name: String, value: String)]
    /// The payload of all lines, with its placeholders; `nil` if each line has its own.
    var payload: [UInt8]?
    var summary: BatchSummary
    var percentiles: [CampaignFigures.Percentile]
    var rates: [(seconds: Double, perSecond: Double)]
    var seconds: Double
    /// How many lines break each rule of the lint.
    var findings: [(rule: String, lines: Int)] = []
    /// What to do next: sentences or commands.
    var next: [String]

    /// The first bytes, which identify such a page.
    static let beginning = "<!doctype html><!-- pushsend batch -->"
    /// How many reasons are shown at first. The others are shown on request.
    private static let mostReasons = 20

    var html: String {
        """
        \(Self.beginning)
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Self.escaped(title))</title>
        <style>
        \(CampaignPageStyle.text)
        </style>
        </head>
        <body>
        <main>
        <h1>\(Self.escaped(title))</h1>
        <p class="lead">\(Self.escaped(lead))</p>
        \(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var lead: String {
        summary.isFinished && summary.concluded == 0 && summary.before > 0
            ? "All \(CampaignReport.lines(summary.before)) already had their outcomes before this run."
            : CampaignTable.heading(summary, seconds)
    }

    private var parts: [String] {
        [
            stop, factList, payloadText, outcomes, allOutcomes, reasons, lint, RateChart(rates: rates).html, latency,
            nextSteps,
        ]
    }

    private var stop: String {
        summary.stop.map { "<p class=\"stop\">\(Self.escaped($0.description))</p>" } ?? ""
    }

    private var factList: String {
        let rows = facts.map { "<div><dt>\(Self.escaped($0.name))</dt><dd>\(Self.escaped($0.value))</dd></div>" }
        return "<dl>\n\(rows.joined(separator: "\n"))\n</dl>"
    }

    private var payloadText: String {
        guard let payload else { return "" }
        let all = "\(CampaignReport.grouped(payload.count)) bytes"
        let size = payload.count > Self.mostOfPayload ? "the first \(Self.mostOfPayload) of \(all)" : all
        // A character that is cut apart at the end becomes U+FFFD.
        let text = PeerText.printableJSON(Array(payload.prefix(Self.mostOfPayload)))
        let holes = payload.contains(Self.placeholder) ? " The values in {{ }} come from each line." : ""
        return """
            <h2 id="payload">Payload</h2>
            <pre>\(Self.withEntities(String(decoding: text, as: UTF8.self)))</pre>
            <p class="note">As it was given, \(size).\(holes)</p>
            """
    }

    /// How many bytes of a payload are shown. This is more than Apple accepts.
    private static let mostOfPayload = 8192
    private static let placeholder = Array("{{".utf8)

    private var nextSteps: String {
        guard !next.isEmpty else { return "" }
        let items = next.map { "<li>\(Self.escaped($0))</li>" }
        return "<h2>What to do next</h2>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
    }

    // MARK: Tables

    /// The outcomes of the whole campaign, if it took more than one run.
    private var allOutcomes: String {
        guard summary.before > 0 else { return "" }
        let rows = CampaignReport.kinds(totals: summary.totals).filter { $0.count > 0 }.map { ($0.title, $0.count) }
        return "<h2 id=\"all\">Outcomes of all runs</h2>\n"
            + counts(rows, of: summary.before + summary.concluded, first: "Outcome", label: "all")
    }

    private var outcomes: String {
        guard summary.concluded > 0 || summary.before == 0 || !summary.isFinished else { return "" }
        let heading = "<h2 id=\"outcomes\">Outcomes\(summary.before > 0 ? " of this run" : "")</h2>\n"
        let rows = CampaignReport.kinds(summary).filter { $0.count > 0 }.map { ($0.title, $0.count) }
        let released = CampaignReport.released(summary).map { "\n<p>\(Self.escaped($0))</p>" } ?? ""
        guard !rows.isEmpty else { return heading + "<p>No line got its outcome in this run.</p>" + released }
        return heading + counts(rows, of: summary.concluded, first: "Outcome", label: "outcomes") + released
    }

    private var reasons: String {
        let sorted = summary.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
        guard !sorted.isEmpty else { return "" }
        func table(_ rows: ArraySlice<(String, Int)>) -> String {
            counts(Array(rows), of: summary.resultCount, first: "Reason", label: "reasons")
        }
        let rest = sorted.dropFirst(Self.mostReasons)
        let heading = counted(rest.count, "other reason")
        let more = rest.isEmpty ? "" : "\n<details>\n<summary>\(heading)</summary>\n\(table(rest))\n</details>"
        return """
            <h2 id="reasons">Reasons</h2>
            \(table(sorted.prefix(Self.mostReasons)))\(more)
            <p class="note">What one of them means: <code>pushsend explain REASON</code></p>
            """
    }

    private var lint: String {
        guard !findings.isEmpty else { return "" }
        let sorted = findings.sorted { ($1.lines, $0.rule) < ($0.lines, $1.rule) }.map { ($0.rule, $0.lines) }
        return "<h2 id=\"lint\">Lint findings</h2>\n"
            + counts(sorted, of: summary.resultCount, first: "Rule", label: "lint")
            + "\n<p class=\"note\">To explain a rule: <code>pushsend explain RULE</code></p>"
    }

    private var latency: String {
        guard let longest = percentiles.last, !longest.milliseconds.isZero else { return "" }
        let rows = percentiles.map { percentile in
            Row(
                title: percentile.name == "100" ? "all" : "\(percentile.name) %",
                values: [CampaignTable.time(percentile.milliseconds)],
                share: percentile.milliseconds / longest.milliseconds)
        }
        return "<h2 id=\"latency\">How long answers took</h2>\n"
            + table(rows, columns: ["Share of answers", "Within"], label: "latency")
    }

    private func counts(_ rows: [(title: String, count: Int)], of total: Int, first: String, label: String) -> String {
        let rows = rows.map { row in
            let share = Double(row.count) / Double(max(total, 1))
            return Row(
                title: row.title, values: [CampaignReport.grouped(row.count), CampaignTable.percent(share)],
                share: share)
        }
        return table(rows, columns: [first, "Lines", "Share"], label: label)
    }

    private struct Row {
        var title: String
        var values: [String]
        /// The length of the bar, from 0 to 1.
        var share: Double
    }

    private func table(_ rows: [Row], columns: [String], label: String) -> String {
        let head = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = rows.map { row in
            let width = CampaignTable.tenths(min(1, row.share) * 100)
            return """
                <tr><th scope="row">\(Self.escaped(row.title))</th>\
                \(row.values.map { "<td>\(Self.escaped($0))</td>" }.joined())\
                <td class="bar"><i style="width:\(width)%"></i></td></tr>
                """
        }
        return """
            <table aria-labelledby="\(label)">
            <thead><tr>\(head)<td class="bar"></td></tr></thead>
            <tbody>
            \(lines.joined(separator: "\n"))
            </tbody>
            </table>
            """
    }

    // MARK: Text

    static func escaped(_ text: String) -> String {
        withEntities(PeerText.printable(text, atMost: 1000))
    }

    private static func withEntities(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
