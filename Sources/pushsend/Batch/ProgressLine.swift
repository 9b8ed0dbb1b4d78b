internal import PushCampaign
import PushProvider

/// The progress of a campaign in one line: bar, share, rate, outcomes, time left, and what limits the rate.
struct ProgressLine {
    var summary: BatchSummary
    /// The current rate in lines per second.
    var rate: Double
    /// The total number of lines; `nil` if unknown.
    var total: Double?
    /// The seconds since the start.
    var seconds: Double
    /// What limits the rate now, in one or two words.
    var limit: String?

    /// The maximum width of the bar, in columns.
    private static let widestBar = 20
    /// The minimum width of the bar, in columns. If less is free, there is no bar.
    private static let narrowestBar = 5
    /// Free columns after the line, because a terminal shows Ctrl-C as two characters there.
    private static let free = 3

    /// Returns the line for a terminal width; `nil` if it is not shown on a terminal. On a narrow terminal the least
    /// important parts are left out.
    func text(columns: Int?) -> String {
        let kinds = CampaignText.kinds(summary).filter { $0.count > 0 }
            .map { "\(CampaignText.grouped($0.count)) \($0.title)" }
        var parts = [percent, lines, perSecond, timeLeft] + kinds + [limit.map { "limited by: \($0)" }]
        func line(_ separator: String) -> String { parts.compactMap(\.self).joined(separator: separator) }
        guard let columns else { return line(", ") }
        let room = max(0, columns - Self.free)
        // The number of lines is the sum of the outcomes. It is important only if the total is unknown.
        let behind = (4..<parts.count).reversed()
        for index in (share == nil ? [] : [1]) + behind + (share == nil ? [3] : [3, 2]) where line("  ").count > room {
            parts[index] = nil
        }
        let text = line("  ")
        guard let share, case let width = min(Self.widestBar, room - text.count - 1), width >= Self.narrowestBar else {
            return String(text.prefix(room))
        }
        let full = min(width, Int(share * Double(width)))
        return String(repeating: "█", count: full) + String(repeating: "░", count: width - full) + " " + text
    }

    private var percent: String? { share.map { "\(Int($0 * 100)) %" } }

    private var lines: String { CampaignText.lines(done) }

    private var perSecond: String {
        "\(rate > 0 && rate < 10 ? CampaignTable.tenths(rate) : CampaignText.grouped(Int(rate)))/s"
    }

    private var timeLeft: String? { left.map { "\(CampaignTable.duration($0)) left" } }

    private var done: Int { summary.before + summary.concluded }

    /// The share that is done, from 0 to 1.
    private var share: Double? { total.map { $0 > 0 ? min(1, Double(done) / $0) : 0 } }

    /// The time left, from the average rate of this run.
    private var left: Double? {
        guard let total, summary.concluded > 0, seconds > 2, Double(done) < total else { return nil }
        return seconds * (total - Double(done)) / Double(summary.concluded)
    }
}

extension ProgressLine {
    /// Describes a pause; `nil` while lines are sent.
    static func text(_ pause: BatchPause?) -> String? {
        guard let pause else { return nil }
        let seconds = Int(pause.nextTry / .seconds(1))
        return seconds > 0 ? "APNs accepts no lines, next try in \(seconds) s" : "APNs accepts no lines, trying one"
    }

    /// Describes what limits a client, for the user of a campaign.
    static func text(_ limit: PushClient.Diagnosis.Limit, hasRate: Bool) -> String? {
        switch limit {
        case .nothing: nil
        case .caller: hasRate ? "--rate" : "input"
        case .roundTrip: "round trip"
        case .queue: "--concurrency"
        default: limit.rawValue
        }
    }
}

/// The last line of a terminal. Shows and removes the progress line.
struct ProgressScreen {
    /// The number of columns of the shown line.
    private var drawn = 0

    mutating func show(_ line: String, columns: Int) -> String {
        defer { drawn = line.count }
        return erasing(columns: columns) + line
    }

    /// Removes the shown line, so that other text can be written.
    mutating func clear(columns: Int) -> String {
        defer { drawn = 0 }
        return drawn > 0 ? erasing(columns: columns) : ""
    }

    /// Removes all lines of the terminal that the shown line takes. A terminal that became narrower has wrapped it.
    private func erasing(columns: Int) -> String {
        let above = drawn > 0 ? (drawn - 1) / max(1, columns) : 0
        return above > 0 ? "\u{1B}[\(above)A\r\u{1B}[J" : "\r\u{1B}[K"
    }
}
