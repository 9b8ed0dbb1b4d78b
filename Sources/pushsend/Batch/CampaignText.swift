internal import PushCampaign
import PushPlatform
import PushProvider

/// The numbers and sentences that the reports of a campaign share: on the terminal, for programs, and as a page.
enum CampaignText {
    /// For example `9,998,213`.
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3), digit != "-" { text = "," + text }
            text = String(digit) + text
        }
        return text
    }

    /// For example `1 line` or `9,998,213 lines`.
    static func lines(_ number: Int) -> String {
        counted(number, "line", shown: grouped(number))
    }

    struct Kind {
        var title: String
        var key: String
        var count: Int
    }

    static func kinds(_ summary: BatchSummary) -> [Kind] {
        [
            Kind(title: "accepted", key: "accepted", count: summary.accepted),
            Kind(title: "rejected", key: "rejected", count: summary.rejected),
            Kind(title: "not sent", key: "not_sent", count: summary.notSent),
            Kind(title: "unknown", key: "unknown", count: summary.unknown),
            Kind(title: "invalid", key: "invalid", count: summary.invalid),
            Kind(title: "duplicates", key: "duplicates", count: summary.duplicates),
            Kind(title: "superseded", key: "superseded", count: summary.superseded),
        ]
    }

    static func kinds(totals: [String: Int]) -> [Kind] {
        kinds(BatchSummary()).map { Kind(title: $0.title, key: $0.key, count: totals[$0.key, default: 0]) }
    }

    /// Describes the lines that were not sent and have no outcome, in a sentence.
    static func released(_ summary: BatchSummary) -> String? {
        guard summary.released > 0 else { return nil }
        return
            "Still to send: \(lines(summary.released)), and any that weren't read yet. Run the same command again to send them."
    }

    /// Describes why some inactive tokens are not listed in `gone`.
    static func undecided(_ summary: BatchSummary) -> String? {
        guard summary.undecided > 0 else { return nil }
        let tokens = counted(
            summary.undecided, "device token is", "device tokens are", shown: grouped(summary.undecided))
        return """
            \(tokens) inactive (410) but not in "gone", because it's unknown when the app registered them. Add \
            registered_at to the lines, or use --gone-at-face-value.
            """
    }

    /// Says that nothing reached anybody because newer pushes had; `nil` for other runs.
    static func superseded(_ summary: BatchSummary) -> String? {
        let count = summary.totals["superseded", default: 0]
        guard count > 0, summary.isFinished, count == summary.before + summary.concluded else { return nil }
        return "Every line was superseded: a newer push with the same collapse id was sent to each device instead."
    }

    /// Describes what APNs refuses, if nothing else describes it.
    static func refusal(_ summary: BatchSummary) -> String? {
        guard let refusal = summary.senderRefusal, summary.stop?.code != .credentials else { return nil }
        let lines = "\(lines(summary.refusedSender)) \(summary.refusedSender == 1 ? "was" : "were") not accepted"
        return "\(lines) because APNs refuses the sender. \(refusal)"
    }

    /// What to do after a campaign stopped before its last line.
    static func whatIsNext(_ summary: BatchSummary) -> String {
        summary.stop?.code == .lint
            ? "Nothing was sent. Correct it, and start again with --restart."
            : summary.refusedSender > 0
                ? "Correct what APNs refuses, then run the same command again: it continues and sends nothing twice."
                : "Run the same command to continue: it sends nothing twice."
    }

    /// For example `400 lines, 390 accepted, 10 rejected`.
    static func totals(_ summary: BatchSummary) -> String {
        let kinds = kinds(totals: summary.totals).filter { $0.count > 0 }.map { "\(grouped($0.count)) \($0.title)" }
        return "\(lines(summary.before + summary.concluded)), \(kinds.joined(separator: ", "))"
    }

    /// What to do with the remaining lines of all runs.
    static func left(_ folder: String) -> [String] {
        let files = [
            ("gone", "Device tokens to delete: \(folder)/gone"),
            (
                "again.jsonl",
                "Not sent, to resend: pushsend batch \(ShellWord.quoted("\(folder)/again.jsonl")) ..."
            ), ("unknown.jsonl", "The outcome is unknown: \(folder)/unknown.jsonl"),
        ]
        return files.filter { FileMark(path: "\(folder)/\($0.0)")?.isEmpty == false }.map(\.1)
    }

    /// Says that the input is empty.
    static func noLines(in files: [String]) -> String {
        guard files.count == 1, let file = files.first else { return "There are no lines in the input." }
        return "There are no lines in \(file == "-" ? "standard input" : file.printable)."
    }

    /// `people.csv:17: The line is not JSON ...`
    static func mistake(_ mistake: BatchCheck.Mistake, in files: [String]) -> String {
        let file = files[mistake.file] == "-" ? "standard input" : files[mistake.file].printable
        guard mistake.similar > 0 else { return "\(file):\(mistake.line): \(mistake.message)" }
        let similar = counted(
            mistake.similar, "more line has", "more lines have", shown: grouped(mistake.similar))
        return "\(file):\(mistake.line): \(mistake.message) (\(similar) this problem.)"
    }
}
