internal import PushCampaign
import PushProvider

/// How far a campaign is, in one line: bar, share, rate, what became of the lines, time left, and what limits it.
struct ProgressLine {
    var summary: BatchSummary
    /// Lines a second, lately.
    var rate: Double
    /// How many lines there are in all, as far as anybody knows.
    var total: Double?
    /// Since it began.
    var seconds: Double
    /// What holds it up now, in a word or two.
    var limit: String?

    private static let widestBar = 20
    private static let narrowestBar = 5
    /// Behind the line a person may press Ctrl-C, which a terminal shows as two characters.
    private static let free = 3

    /// For a number of columns, where there is a terminal: what matters least is left out where it is narrow.
    func text(columns: Int?) -> String {
        let kinds = CampaignReport.kinds(summary).filter { $0.count > 0 }
            .map { "\(CampaignReport.grouped($0.count)) \($0.words)" }
        var parts = [percent, lines, perSecond, timeLeft] + kinds + [limit.map { "limited by: \($0)" }]
        func line(_ separator: String) -> String { parts.compactMap(\.self).joined(separator: separator) }
        guard let columns else { return line(", ") }
        let room = max(0, columns - Self.free)
        // How many lines there were is the sum of what became of them, and matters where nobody knows of how many they are a share.
        let behind = (4..<parts.count).reversed()
        for place in (share == nil ? [] : [1]) + behind + (share == nil ? [3] : [3, 2]) where line("  ").count > room {
            parts[place] = nil
        }
        let text = line("  ")
        guard let share, case let width = min(Self.widestBar, room - text.count - 1), width >= Self.narrowestBar else {
            return String(text.prefix(room))
        }
        let full = min(width, Int(share * Double(width)))
        return String(repeating: "█", count: full) + String(repeating: "░", count: width - full) + " " + text
    }

    private var percent: String? { share.map { "\(Int($0 * 100)) %" } }

    private var lines: String { CampaignReport.lines(done) }

    private var perSecond: String {
        "\(rate > 0 && rate < 10 ? CampaignTable.tenths(rate) : CampaignReport.grouped(Int(rate)))/s"
    }

    private var timeLeft: String? { left.map { "\(CampaignTable.duration($0)) left" } }

    private var done: Int { summary.before + summary.concluded }

    /// From 0 to 1.
    private var share: Double? { total.map { $0 > 0 ? min(1, Double(done) / $0) : 0 } }

    /// By how fast this run has been so far.
    private var left: Double? {
        guard let total, summary.concluded > 0, seconds > 2, Double(done) < total else { return nil }
        return seconds * (total - Double(done)) / Double(summary.concluded)
    }
}

extension ProgressLine {
    /// That nothing is sent for now; `nil` while lines are sent.
    static func words(_ pause: BatchPause?) -> String? {
        guard let pause else { return nil }
        let seconds = Int(pause.nextTry / .seconds(1))
        return seconds > 0 ? "APNs accepts no lines, next try in \(seconds) s" : "APNs accepts no lines, trying one"
    }

    /// What limits a client, in words for whoever runs a campaign through it.
    static func words(_ limit: PushDiagnosis.Limit, hasRate: Bool) -> String? {
        switch limit {
        case .nothing: nil
        case .caller: hasRate ? "--rate" : "input"
        case .roundTrip: "round trip"
        case .queue: "--concurrency"
        default: limit.rawValue
        }
    }
}

/// What stands on the last line of a terminal, and how it is taken away again.
struct ProgressScreen {
    /// How many columns what stands there takes.
    private var drawn = 0

    /// Writes a line in the place of the one before.
    mutating func show(_ line: String, columns: Int) -> String {
        defer { drawn = line.count }
        return erasing(columns: columns) + line
    }

    /// Takes it away, so that something else can be written there.
    mutating func clear(columns: Int) -> String {
        defer { drawn = 0 }
        return drawn > 0 ? erasing(columns: columns) : ""
    }

    /// A terminal that was made narrower has broken the line into several.
    private func erasing(columns: Int) -> String {
        let above = drawn > 0 ? (drawn - 1) / max(1, columns) : 0
        return above > 0 ? "\u{1B}[\(above)A\r\u{1B}[J" : "\r\u{1B}[K"
    }
}
