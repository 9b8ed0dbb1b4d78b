import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider
@testable import pushsend

/// The line that tells how far a campaign is, and the place where it stands.
@Suite struct ProgressLineTests {
    private func line(total: Double? = 2_000_000) -> ProgressLine {
        var summary = BatchSummary()
        summary.accepted = 988_120
        summary.rejected = 11_880
        return ProgressLine(summary: summary, rate: 97_087, total: total, seconds: 10, limit: "window")
    }

    @Test func `where there is room it says all`() {
        let text = line().text(columns: 200)
        #expect(text.hasPrefix("██████████░░░░░░░░░░ 50 %  1,000,000 lines  97,087/s  10 s left  988,120 accepted"))
        #expect(text.hasSuffix("limited by: window"))
        #expect(
            line().text(columns: nil)
                == "50 %, 1,000,000 lines, 97,087/s, 10 s left, 988,120 accepted, 11,880 rejected, limited by: window")
    }

    @Test func `where it is narrow it leaves out what matters least, and Ctrl-C has room behind it`() {
        for columns in 0...200 { #expect(line().text(columns: columns).count <= max(0, columns - 3), "\(columns)") }
        #expect(line().text(columns: 80).hasSuffix("50 %  97,087/s  10 s left  988,120 accepted  11,880 rejected"))
        #expect(line().text(columns: 60).hasSuffix("█░░░░░░░ 50 %  97,087/s  10 s left  988,120 accepted"))
        #expect(line().text(columns: 40).hasSuffix(" 50 %  97,087/s  10 s left"))
        #expect(line().text(columns: 20) == "50 %  97,087/s")
    }

    @Test func `for a stream, the remaining number is unknown`() {
        let line = line(total: nil)
        #expect(!line.text(columns: 200).contains("left"))
        #expect(!line.text(columns: 200).contains("%"))
        #expect(line.text(columns: 40) == "1,000,000 lines  97,087/s")
    }

    @Test func `the time left is that of the lines without an outcome, whatever was read`() {
        var line = line(total: 1_010_000)
        line.summary = BatchSummary()
        line.summary.before = 1_000_000
        line.summary.accepted = 1000
        #expect(line.text(columns: 200).contains("  1:30 min left"))
        line.summary.accepted = 0
        #expect(!line.text(columns: 200).contains("left"))
    }

    @Test func `what limits is said in the words of a campaign`() {
        #expect(ProgressLine.text(.caller, hasRate: true) == "--rate")
        #expect(ProgressLine.text(.caller, hasRate: false) == "input")
        #expect(ProgressLine.text(.queue, hasRate: true) == "--concurrency")
        #expect(ProgressLine.text(.streams, hasRate: true) == "streams")
        #expect(ProgressLine.text(.nothing, hasRate: true) == nil)
    }

    @Test func `a line that a narrower terminal has broken is taken away whole`() {
        var screen = ProgressScreen()
        #expect(screen.clear(columns: 80).isEmpty)
        #expect(screen.show("12345678", columns: 80) == "\r\u{1B}[K12345678")
        #expect(screen.show("1234", columns: 3) == "\u{1B}[2A\r\u{1B}[J1234")
        #expect(screen.show("12", columns: 4) == "\r\u{1B}[K12")
        #expect(screen.clear(columns: 4) == "\r\u{1B}[K")
        #expect(screen.clear(columns: 4).isEmpty)
    }
}
