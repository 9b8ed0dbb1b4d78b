import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider
@testable import pushsend

/// What is said of a campaign while it runs, and at its end.
@Suite struct CampaignTableTests {
    private let usage = ProcessUsage(cpuSeconds: 7.1, peakMemory: 31 << 20)

    private var summary: BatchSummary {
        var summary = BatchSummary()
        summary.accepted = 988_120
        summary.rejected = 11_880
        summary.reasons = ["Unregistered": 11_000, "<b>&\u{1B}[2J": 880]
        return summary
    }

    private let percentiles = [
        CampaignFigures.Percentile(name: "50", milliseconds: 9.84),
        CampaignFigures.Percentile(name: "100", milliseconds: 12_345),
    ]

    @Test func `outcomes and reasons have counts, shares and bars`() {
        let table = CampaignTable(summary: summary, percentiles: percentiles, seconds: 10.3, usage: usage)
        let lines = table.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "1,000,000 lines in 10 s, 97,087 a second")
        #expect(lines[1].hasPrefix("  accepted  988,120   98.8 %  ███"))
        #expect(lines[2] == "  rejected   11,880    1.2 %  ▌")
        #expect(lines[3].hasPrefix("  Unregistered"))
        #expect(!table.text.contains("\u{1B}"))
        #expect(table.text.contains("answers took  50 %: 9.8 ms   all: 12 s"))
        #expect(table.text.contains("7.1 s of CPU, 7.1 us a line; 31 MiB peak memory"))
    }

    @Test func `what is there is seen, and what is not all is not shown as all`() {
        #expect(CampaignTable.bar(0) == "")
        #expect(CampaignTable.bar(0.000_001) == "▏")
        #expect(CampaignTable.bar(1).count == 40)
        #expect(CampaignTable.percent(0.000_001) == "< 0.1 %")
        #expect(CampaignTable.percent(0.999_99) == " 99.9 %")
        #expect(CampaignTable.percent(1) == "100.0 %")
    }

    @Test func `of few lines the start of the process is most, and no rate is made of it`() {
        var one = BatchSummary()
        one.accepted = 1
        let table = CampaignTable(summary: one, percentiles: [], seconds: 0.021, usage: usage)
        #expect(table.text.hasPrefix("1 line in 21 ms\n"))
        #expect(!table.text.contains("us a line"))
        #expect(CampaignTable.heading(one, 2) == "1 line in 2.0 s, 0.5 a second")
        #expect(CampaignTable.heading(BatchSummary(), 60) == "0 lines in 1:00 min")
    }

    @Test func `reasons are of all lines that came back, so that no share is more than all`() {
        var unreachable = BatchSummary()
        unreachable.accepted = 1
        unreachable.released = 3
        unreachable.reasons = ["no_connection": 3]
        let table = CampaignTable(summary: unreachable, percentiles: [], seconds: 2, usage: usage)
        #expect(table.text.contains("no_connection  3   75.0 %"))
        #expect(table.text.hasPrefix("4 lines in 2.0 s"))
        #expect(table.text.contains("accepted       1   25.0 %"))
        #expect(table.text.contains("still to send  3   75.0 %"))
    }

    @Test(arguments: [
        (0.04, "0.0 s"), (9.94, "9.9 s"), (12, "12 s"), (185, "3:05 min"), (7_800, "2:10 h"),
        (.infinity, "277777:46 h"),
    ])
    func `durations have the unit that fits`(seconds: Double, words: String) {
        #expect(CampaignTable.duration(seconds) == words)
    }

    @Test func `no line of the table is longer than the terminal is wide`() {
        var summary = summary
        summary.reasons["AReasonThatNobodyHasEverSeenAndThatIsVeryLongIndeed日本語"] = 7
        let five = ["50", "90", "99", "99.9", "100"].map { CampaignFigures.Percentile(name: $0, milliseconds: 4380) }
        let table = CampaignTable(summary: summary, percentiles: five, seconds: 10.3, usage: usage)
        for columns in 46...200 {
            let lines = table.text(columns: columns).split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { TerminalWidth.of($0) < columns }, "\(columns): \(lines)")
        }
        #expect(table.text(columns: 60).contains("\n                99 %: 4380 ms"))
        #expect(table.text(columns: 60).contains("AReasonThatNobodyHasEverSeenAndThatIsVe…"))
    }

    @Test func `a text is cut where its columns end, and not its characters`() {
        #expect(TerminalWidth.cut("abcdef", to: 6) == "abcdef")
        #expect(TerminalWidth.cut("abcdef", to: 5) == "abcd…")
        #expect(TerminalWidth.cut("日本語", to: 5) == "日本…")
        #expect(TerminalWidth.cut("日本語", to: 4) == "日…")
    }

    @Test func `the course of a long campaign stays short, and its rates true`() {
        var course = RateCourse()
        for tick in 1...100_000 { course.add(tick * 25, after: Double(tick) * 0.25) }
        #expect(course.points.count <= 401)
        #expect(course.rates.allSatisfy { abs($0.perSecond - 100) < 0.001 })
        #expect(abs(course.rate(ofLast: 10) - 100) < 0.001)
        #expect(RateCourse().rate(ofLast: 2) == 0)
    }

    @Test func `the course reaches the end, and next to no time makes no rate`() {
        var course = RateCourse()
        for tick in 1...8 { course.add(tick * 100, after: Double(tick) * 0.25) }
        course.end(801, after: 2.01)
        #expect(course.points.last == RateCourse.Point(seconds: 2.01, count: 801))
        #expect(course.rates.last?.seconds == 2.01)
        #expect(course.rates.allSatisfy { (380...420).contains($0.perSecond) })
    }

    @Test func `a slow course is no saw`() {
        var course = RateCourse()
        for tick in 1...400 { course.add(tick / 2, after: Double(tick) * 0.25) }
        #expect(course.rates.count == 10)
        #expect(course.rates.allSatisfy { abs($0.perSecond - 2) < 0.001 })
    }

    @Test(arguments: [
        (1, ["100"]), (2, ["50", "100"]), (50, ["50", "90", "100"]), (999, ["50", "90", "99", "100"]),
        (1000, ["50", "90", "99", "99.9", "100"]),
    ])
    func `with few answers, percentiles that equal the maximum are not shown`(count: Int, names: [String]) {
        #expect(CampaignFigures.percents(forAnswers: count).map(\.name) == names)
        #expect(CampaignFigures().usefulPercentiles.isEmpty)
    }
}
