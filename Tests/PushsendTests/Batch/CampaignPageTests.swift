import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider
@testable import pushsend

/// The page of a campaign: what it says, and that it needs nothing else.
@Suite struct CampaignPageTests {
    private let percentiles = [
        CampaignFigures.Percentile(name: "50", milliseconds: 9.84),
        CampaignFigures.Percentile(name: "100", milliseconds: 12_345),
    ]

    private func page(_ change: (inout BatchSummary) -> Void = { _ in }) -> CampaignPage {
        var summary = BatchSummary()
        summary.accepted = 988_120
        summary.rejected = 11_880
        summary.reasons = ["Unregistered": 11_000, "<b>&\u{1B}[2J": 880]
        change(&summary)
        return CampaignPage(
            title: "Campaign: <script>alert(1)</script>", facts: [("Input", "a&b\"'.csv")], summary: summary,
            percentiles: percentiles, rates: [(0.25, 100), (0.5, 90_000), (0.75, 40_000)], seconds: 10.3,
            next: ["pushsend batch 'x<y'"])
    }

    @Test func `it needs nothing else, and what others have written stays text`() {
        let html = page().html
        #expect(!html.contains("<script"))
        #expect(html.contains("&lt;script&gt;"))
        #expect(html.contains("a&amp;b&quot;&#39;.csv"))
        #expect(html.contains("&lt;b&gt;&amp;"))
        #expect(html.contains("x&lt;y"))
        #expect(!html.contains("http") && !html.contains("url("))
        #expect(html.contains("prefers-color-scheme: dark"))
        #expect(!html.contains("nan") && !html.contains("inf"))
    }

    @Test func `each table has a heading, and names for its columns`() {
        let html = page().html
        for name in ["outcomes", "reasons", "latency"] {
            #expect(html.contains("<h2 id=\"\(name)\">"))
            #expect(html.contains("<table aria-labelledby=\"\(name)\">"))
        }
        #expect(html.contains("<th scope=\"col\">Lines</th>"))
        #expect(html.contains("<th scope=\"row\">50 %</th><td>9.8 ms</td>"))
    }

    @Test func `the number of lines that came back unsent is at most all, and is reported`() {
        let html = page {
            $0 = BatchSummary()
            $0.released = 163
            $0.reasons = ["no_connection": 163]
        }.html
        #expect(html.contains("No line got its outcome in this run."))
        #expect(html.contains("Still to send: 163 lines"))
        #expect(html.contains("<td>163</td><td>100.0 %</td>"))
    }

    @Test func `after several runs it is about all of them too`() {
        let first = page().html
        #expect(!first.contains("Outcomes of all runs"))
        let second = page {
            $0.before = 100
            $0.earlier = [.accepted: 90, .rejected: 10]
        }.html
        #expect(second.contains("Outcomes of this run") && second.contains("Outcomes of all runs"))
        #expect(second.contains("<td>988,210</td>"))
        let finished = page {
            $0 = BatchSummary()
            $0.before = 100
            $0.earlier = [.accepted: 90, .rejected: 10]
        }.html
        #expect(finished.contains("All 100 lines already had their outcomes before this run."))
        #expect(!finished.contains("Outcomes of this run"))
    }

    @Test func `many reasons are there, and not all in the way`() {
        let html = page { summary in
            summary.reasons = Dictionary(uniqueKeysWithValues: (1...57).map { ("Reason\($0)", $0) })
        }.html
        #expect(html.contains("<summary>37 other reasons</summary>"))
        #expect(html.contains("Reason1<") && html.contains("Reason57<"))
    }

    @Test func `the payload is text, with its placeholders, and of bounded length`() {
        func shown(_ payload: String) -> String {
            var page = page()
            page.payload = Array(payload.utf8)
            return page.html
        }
        #expect(!page().html.contains("<h2 id=\"payload\">"))
        let html = shown("{\"aps\":{\n\"alert\":\"<b>{{name}}\u{1B}[2J\u{202E}\"}}")
        #expect(
            html.contains(
                "<pre>{&quot;aps&quot;:{\n&quot;alert&quot;:&quot;&lt;b&gt;{{name}}\\u001b[2J\\u202e&quot;}}</pre>"))
        #expect(html.contains("As you gave it, 39 bytes. The values in {{ }} come from each line."))
        let long = shown(String(repeating: "é", count: 100_000))
        #expect(long.contains("As you gave it, the first 8192 of 200,000 bytes.</p>"))
        #expect(long.utf8.count < 40_000)
    }

    // MARK: The chart

    @Test func `the chart begins at the beginning, ends at the end, and says so in words`() {
        let html = RateChart(rates: [(10, 2500), (20, 4000), (40, 1200)]).html
        #expect(html.contains("<span>4,000</span><span>2,000</span><span>0</span>"))
        #expect(html.contains("<span>0</span><span>20 s</span><span>40 s</span>"))
        #expect(html.contains("d=\"M0 37.5H250.0V0.0H500.0V70.0H1000.0\""))
        #expect(html.contains("over 40 s: at the beginning 2,500, at most 4,000, at the end 1,200."))
    }

    @Test func `an axis of slow lines says what it shows`() {
        #expect(RateChart(rates: [(10, 0.4), (20, 0.5)]).html.contains("<span>0.5</span>"))
        #expect(RateChart(rates: [(10, 5), (20, 4)]).html.contains("<span>5</span><span>2.5</span><span>0</span>"))
    }

    @Test func `where nothing was sent, or nothing went by, there is no chart`() {
        #expect(RateChart(rates: []).html.isEmpty)
        #expect(RateChart(rates: [(1, 5)]).html.isEmpty)
        #expect(RateChart(rates: [(1, 0), (2, 0)]).html.isEmpty)
    }
}
