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
    private static let maximumReasons = 20

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
            ? "All \(CampaignText.lines(summary.before)) already had their outcomes before this run."
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
        let all = "\(CampaignText.grouped(payload.count)) bytes"
        let size = payload.count > Self.maximumOfPayload ? "the first \(Self.maximumOfPayload) of \(all)" : all
        // A character that is cut apart at the end becomes U+FFFD.
        let text = PeerText.printableJSON(Array(payload.prefix(Self.maximumOfPayload)))
        let holes = payload.contains(Self.placeholder) ? " The values in {{ }} come from each line." : ""
        return """
            <h2 id="payload">Payload</h2>
            <pre>\(Self.withEntities(String(decoding: text, as: UTF8.self)))</pre>
            <p class="note">As you gave it, \(size).\(holes)</p>
            """
    }

    /// How many bytes of a payload are shown. This is more than Apple accepts.
    private static let maximumOfPayload = 8192
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
        let rows = CampaignText.kinds(totals: summary.totals).filter { $0.count > 0 }.map { ($0.title, $0.count) }
        return "<h2 id=\"all\">Outcomes of all runs</h2>\n"
            + counts(rows, of: summary.before + summary.concluded, first: "Outcome", label: "all")
    }

    private var outcomes: String {
        guard summary.concluded > 0 || summary.before == 0 || !summary.isFinished else { return "" }
        let heading = "<h2 id=\"outcomes\">Outcomes\(summary.before > 0 ? " of this run" : "")</h2>\n"
        let rows = CampaignText.kinds(summary).filter { $0.count > 0 }.map { ($0.title, $0.count) }
        let released = CampaignText.released(summary).map { "\n<p>\(Self.escaped($0))</p>" } ?? ""
        guard !rows.isEmpty else { return heading + "<p>No line got its outcome in this run.</p>" + released }
        return heading + counts(rows, of: summary.concluded, first: "Outcome", label: "outcomes") + released
    }

    private var reasons: String {
        let sorted = summary.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
        guard !sorted.isEmpty else { return "" }
        func table(_ rows: ArraySlice<(String, Int)>) -> String {
            counts(Array(rows), of: summary.resultCount, first: "Reason", label: "reasons")
        }
        let rest = sorted.dropFirst(Self.maximumReasons)
        let heading = counted(rest.count, "other reason")
        let more = rest.isEmpty ? "" : "\n<details>\n<summary>\(heading)</summary>\n\(table(rest))\n</details>"
        return """
            <h2 id="reasons">Reasons</h2>
            \(table(sorted.prefix(Self.maximumReasons)))\(more)
            <p class="note">To explain a reason: <code>pushsend explain REASON</code></p>
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
                title: row.title, values: [CampaignText.grouped(row.count), CampaignTable.percent(share)],
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
        text.map { entities[$0] ?? String($0) }.joined()
    }

    private static let entities: [Character: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
}

/// A chart of lines per second over time. Its labels are text of the page, so that their size is the same on all
/// screens. Only the drawing is scaled.
struct RateChart {
    /// The end of each interval in seconds since the start, and the lines per second in it.
    var rates: [(seconds: Double, perSecond: Double)]

    /// The size in units of the drawing.
    private static let size = (width: 1000.0, height: 100.0)

    var html: String {
        guard rates.count > 1, let last = rates.last?.seconds, let peak = rates.map(\.perSecond).max(), peak > 0
        else { return "" }
        let top = Self.roundedUp(peak)
        let up = [top, top / 2, 0].map { "<span>\(Self.text($0))</span>" }
        let across = [0, last / 2, last].map { "<span>\($0 > 0 ? CampaignTable.duration($0) : "0")</span>" }
        let label = """
            Lines per second over \(CampaignTable.duration(last)): at the beginning \(Self.text(rates[0].perSecond)), at most \
            \(Self.text(peak)), at the end \(Self.text(rates[rates.count - 1].perSecond)).
            """
        let course = course(last, top)
        return """
            <h2>Lines per second</h2>
            <div class="plot">
            <div class="up" aria-hidden="true">\(up.joined())</div>
            <svg viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" preserveAspectRatio="none" role="img" \
            aria-label="\(label)">
            <path d="M0 0H1000M0 50H1000M0 100H1000"/>
            <path class="under" d="M0 100V\(course)V100Z"/>
            <path class="course" d="M0 \(course)"/>
            </svg>
            <div class="across" aria-hidden="true">\(across.joined())</div>
            </div>
            """
    }

    /// The line of the chart. It is flat within each interval, because only the average is known.
    private func course(_ last: Double, _ top: Double) -> String {
        rates.enumerated().map { index, rate in
            let y = CampaignTable.tenths(Self.size.height * (1 - rate.perSecond / top))
            let x = CampaignTable.tenths(Self.size.width * rate.seconds / last)
            return "\(index > 0 ? "V" : "")\(y)H\(x)"
        }.joined()
    }

    // MARK: The axis

    /// Rounds up to one digit, for the end of an axis.
    static func roundedUp(_ number: Double) -> Double {
        var unit = 0.1
        while unit * 10 <= number { unit *= 10 }
        return max(0.1, (number / unit).rounded(.up) * unit)
    }

    /// Formats a number: without decimals if it is whole, and small numbers with one decimal.
    static func text(_ number: Double) -> String {
        let isWhole = number >= 10 || number.rounded() == number
        return isWhole ? CampaignText.grouped(Int(number.rounded())) : CampaignTable.tenths(number)
    }
}

/// The style of the report page: for small and large screens, light and dark themes, and print.
enum CampaignPageStyle {
    static let text = """
        :root { --ink: #1d1d1f; --soft: #636366; --page: #ffffff; --line: #d2d2d7; --bar: #0a6ebd; --stop: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #f5f5f7; --soft: #a1a1a6; --page: #161617; --line: #424245; --bar: #4aa3f0; --stop: #ff8a80; }
        }
        body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
        .lead { font-size: 1.1rem; margin: .25rem 0 1.5rem; color: var(--soft); }
        .note { font-size: .85rem; color: var(--soft); }
        .stop { border-left: 4px solid var(--stop); padding: .25rem .75rem; margin: 1.5rem 0; overflow-wrap: anywhere; }
        dl { display: grid; gap: .5rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); margin: 0; }
        dt { color: var(--soft); font-size: .85rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        pre { margin: 0; padding: .75rem; max-height: 20rem; overflow: auto; border: 1px solid var(--line); border-radius: 4px;
          font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-weight: normal; overflow-wrap: anywhere; unicode-bidi: isolate; }
        th, td { padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); }
        td, thead th + th { text-align: right; white-space: nowrap; width: 1%; min-width: 4rem; }
        thead th { color: var(--soft); font-size: .85rem; }
        .bar { width: 45%; min-width: 0; padding-right: 0; }
        .bar i { display: block; height: .8rem; min-width: 2px; background: var(--bar); border-radius: 2px; }
        details { margin-top: .5rem; }
        summary { cursor: pointer; padding: .3rem 0; }
        .plot { display: grid; grid-template-columns: auto 1fr; column-gap: .5rem; margin-top: 1rem; }
        .plot span { color: var(--soft); font-size: .85rem; line-height: 1rem; font-variant-numeric: tabular-nums; }
        .up, .across { display: flex; justify-content: space-between; }
        .up { flex-direction: column; text-align: right; margin: -.5rem 0; }
        .across { grid-column: 2; padding-top: .4rem; }
        svg { display: block; width: 100%; height: 11rem; overflow: visible; }
        path { vector-effect: non-scaling-stroke; fill: none; stroke: var(--line); }
        path.course { stroke: var(--bar); stroke-width: 1.5; stroke-linejoin: round; }
        path.under { fill: var(--bar); fill-opacity: .2; stroke: none; }
        li { overflow-wrap: anywhere; }
        @media (max-width: 30rem) { .bar { width: 10%; } td, thead th + th { padding-right: .75rem; min-width: 0; } }
        @media print { body { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
        """
}
