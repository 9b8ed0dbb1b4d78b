internal import PushCampaign
internal import PushJSON
import PushPlatform
import PushProvider

/// The report at the end of a campaign, and the exit code.
struct CampaignReport: Sendable {
    var plan: CampaignPlan

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

    /// The outcomes of all runs.
    static func kinds(totals: [String: Int]) -> [Kind] {
        kinds(BatchSummary()).map { Kind(title: $0.title, key: $0.key, count: totals[$0.key, default: 0]) }
    }

    /// Describes the lines that were not sent and have no outcome, in a sentence.
    static func released(_ summary: BatchSummary) -> String? {
        guard summary.released > 0 else { return nil }
        return
            "\(lines(summary.released)) are still to send. Run the same command to send them and the lines not read yet."
    }

    /// Describes why some inactive tokens are not listed in `gone`.
    static func undecided(_ summary: BatchSummary) -> String? {
        guard summary.undecided > 0 else { return nil }
        let tokens = counted(
            summary.undecided, "device token is", "device tokens are", shown: grouped(summary.undecided))
        return """
            \(tokens) inactive (410) but not in "gone", because it is unknown when the app registered them. Add registered_at to \
            the lines, or use --gone-at-face-value.
            """
    }

    private var noLines: String {
        guard plan.files.count == 1, let file = plan.files.first else { return "There are no lines in the input." }
        return "There are no lines in \(file == "-" ? "standard input" : file.printable)."
    }

    // MARK: A check

    func print(_ check: BatchCheck) {
        for problem in check.problems { Output.complain(message(problem)) }
        var findings = CampaignFindings(files: plan.files, reportedRules: plan.reportedRules)
        // Errors were already reported with the lines that cannot be sent.
        for line in findings.unreported(of: check.findings.filter { $0.finding.severity != .error }) {
            Output.note(line)
        }
        let misspelt = plan.misspelt(check)
        if let misspelt { Output.complain("\(misspelt.description) If it is meant, give --no-lint.") }
        for placeholder in check.unfilled where placeholder != misspelt { Output.note(placeholder.description) }
        if check.unlisted > 0 { Output.complain("\(Self.lines(check.unlisted)) more cannot be sent.") }
        guard plan.options.json else {
            guard check.lines > 0 else { return Output.complain(noLines) }
            if let sample = check.sample {
                Output.print("The first: \(String(decoding: sample.payload.bytes, as: UTF8.self))")
            }
            Output.print(
                """
                \(Self.lines(check.lines)), \(Self.grouped(plan.unsendable(check))) of them cannot be sent. The largest payload has \
                \(check.largestPayload) bytes. Nothing was sent.
                """)
            if let message = duplicates(check) { Output.print(message) }
            if let message = Self.replacing(check) { Output.print(message) }
            return
        }
        var line = JSONLine()
        line["outcome"] = "dry_run"
        line["lines"] = .integer(check.lines)
        line["invalid"] = .integer(plan.unsendable(check))
        line["duplicates"] = .integer(check.duplicates)
        line["replacing"] = .integer(check.replacing)
        line["largest_payload"] = .integer(check.largestPayload)
        if !check.unfilled.isEmpty { line["unfilled"] = .array(check.unfilled.map { .string($0.description) }) }
        if !check.findings.isEmpty { line["findings"] = CampaignFindings.json(check.findings, files: plan.files) }
        Output.print(line.text)
    }

    /// What happens to lines with the device token of an earlier line; `nil` when there are none.
    private func duplicates(_ check: BatchCheck) -> String? {
        guard check.duplicates > 0 else { return nil }
        let lines = "\(Self.lines(check.duplicates)) \(check.duplicates == 1 ? "has" : "have")"
        let what =
            plan.options.skipDuplicates
            ? "--skip-duplicates leaves \(check.duplicates == 1 ? "it" : "them") out"
            : "without --skip-duplicates, such a device gets the push more than once"
        return "\(lines) the device token of an earlier line: \(what)."
    }

    /// What happens to lines that replace each other on their device; `nil` when there are none.
    private static func replacing(_ check: BatchCheck) -> String? {
        guard check.replacing > 0 else { return nil }
        return """
            \(lines(check.replacing)) replace each other: a device shows only the last one with the same collapse id. If one must \
            be tried again after a later one was sent, it ends as superseded.
            """
    }

    /// Says that nothing reached anybody because newer pushes had; `nil` for other runs.
    static func superseded(_ summary: BatchSummary) -> String? {
        let count = summary.totals["superseded", default: 0]
        guard count > 0, summary.isFinished, count == summary.before + summary.concluded else { return nil }
        return "Every line was superseded: a newer push with the same collapse id was sent to each device instead."
    }

    /// `people.csv:17: The line is not JSON ...`
    private func message(_ problem: BatchCheck.Problem) -> String {
        let file = plan.files[problem.file] == "-" ? "standard input" : plan.files[problem.file].printable
        guard problem.similar > 0 else { return "\(file):\(problem.line): \(problem.message)" }
        let similar = counted(
            problem.similar, "more line has", "more lines have", shown: Self.grouped(problem.similar))
        return "\(file):\(problem.line): \(problem.message) (\(similar) this problem.)"
    }

    // MARK: A run

    /// Writes the summary to the folder, for later use.
    ///
    /// - Returns: Whether it was written.
    func leave(_ end: CampaignEnd) -> Bool {
        guard end.isFolderInPlace else { return false }
        let path = "\(end.folder)/summary.json"
        let number = PrivateFile.replace(path, with: Array(line(end).bytes) + [UInt8(ascii: "\n")])
        guard number != 0 else { return true }
        Output.complain(
            "The summary cannot be written to \(path): \(String(cString: strerror(number))). The results are in the folder."
        )
        return false
    }

    func print(_ end: CampaignEnd) {
        let (summary, folder) = (end.figures.summary, end.folder)
        if plan.options.json {
            Output.print(line(end).text)
            complainOfInvalid(end)
        } else if summary.concluded > 0 {
            Output.note(end.table.text(columns: Output.noteColumns))
            if summary.stop?.code != .lint, let message = Self.released(summary) { Output.note("\n\(message)") }
            let findings = CampaignFindings(files: plan.files).table(of: end.findings)
            if !findings.isEmpty {
                Output.note(
                    (["", "  Lint findings (see pushsend explain RULE):"] + findings).joined(separator: "\n"))
            }
            complainOfInvalid(end)
            if summary.before > 0 { Output.note("\nAll runs: \(Self.totals(summary))") }
            if end.isFolderInPlace { Output.note("\nResults: \(folder)/results.jsonl") }
        }
        if let message = Self.undecided(summary) { Output.note("\n\(message)") }
        if let message = Self.superseded(summary) { Output.note("\n\(message)") }
        if let stop = summary.stop { Output.complain(stop.description) }
        if let refusal = Self.refusal(summary) { Output.complain(refusal) }
        if summary.unwritten > 0 {
            Output.complain(
                "\(Self.grouped(summary.unwritten)) outcomes could not be written: the next run counts those lines as unknown."
            )
        }
        if !end.isFolderInPlace {
            Output.complain(Self.whatIsLost(folder))
        } else if summary.concluded + summary.before + summary.released == 0, summary.stop == nil {
            Output.complain(noLines)
        } else if !summary.isFinished {
            Output.note(Self.whatIsNext(summary))
        } else if !plan.options.json {
            for message in Self.left(folder) { Output.note(message) }
        }
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

    /// Describes what is lost if the folder was deleted or moved during the run.
    private static func whatIsLost(_ folder: String) -> String {
        """
        The folder \(folder.printable) no longer exists. If it was moved, move it back and run the same command to continue. \
        If it was deleted, its results are lost, and the same command sends every line again, even those already sent.
        """
    }

    private func complainOfInvalid(_ end: CampaignEnd) {
        guard let first = end.figures.firstInvalid else { return }
        let summary = end.figures.summary
        let isAll = CampaignStatus.isAllInvalid(summary)
        let which = isAll ? "None of the lines can" : "\(Self.lines(summary.invalid)) cannot"
        let next =
            isAll
            ? " Correct the input, and start again with --restart."
            : " Correct these lines, and send them as a campaign of their own: \(end.folder.printable)/results.jsonl has their numbers."
        Output.complain("\(which) be sent. The first: \(message(first))\(next)")
    }

    /// Reports a campaign that had nothing left to do.
    func printFinished(_ end: CampaignEnd) {
        let before = end.figures.summary.before
        if plan.options.json { Output.print(line(end).text) }
        guard before > 0 else { return Output.complain(noLines) }
        Output.note(
            """
            Every line has its outcome: \(Self.totals(end.figures.summary)), in \(end.folder)/results.jsonl. --restart sends all of them again.
            """)
    }

    /// For example `400 lines, 390 accepted, 10 rejected`.
    private static func totals(_ summary: BatchSummary) -> String {
        let kinds = kinds(totals: summary.totals).filter { $0.count > 0 }.map { "\(grouped($0.count)) \($0.title)" }
        return "\(lines(summary.before + summary.concluded)), \(kinds.joined(separator: ", "))"
    }

    /// What to do with the remaining lines of all runs.
    static func left(_ folder: String) -> [String] {
        let files = [
            ("gone", "Device tokens to delete: \(folder)/gone"),
            (
                "again.jsonl",
                "Not sent, to send again: pushsend batch \(ShellWord.quoted("\(folder)/again.jsonl")) ..."
            ), ("unknown.jsonl", "The outcome is unknown: \(folder)/unknown.jsonl"),
        ]
        return files.filter { FileMark(path: "\(folder)/\($0.0)")?.isEmpty == false }.map(\.1)
    }

    private func line(_ end: CampaignEnd) -> JSONLine {
        let summary = end.figures.summary
        var line = JSONLine()
        for kind in Self.kinds(summary) { line[kind.key] = .integer(kind.count) }
        line["totals"] = .object(summary.totals.mapValues(PushJSONValue.integer))
        line["gone"] = .integer(summary.gone)
        line["undecided"] = .integer(summary.undecided)
        line["left"] = .integer(summary.released)
        line["again"] = .integer(summary.again)
        line["before"] = .integer(summary.before)
        line["reasons"] = .object(summary.reasons.mapValues(PushJSONValue.integer))
        if !end.findings.isEmpty { line["findings"] = CampaignFindings.json(end.findings, files: plan.files) }
        line["finished"] = .bool(summary.isFinished)
        line["stopped"] = summary.stop.map { .string($0.code.description) }
        line["detail"] = summary.stop.map { .string($0.description) }
        line["folder"] = .string(end.folder)
        line["seconds"] = .number(end.seconds)
        line["ms"] = .object(
            Dictionary(uniqueKeysWithValues: end.figures.percentiles.map { ("p\($0.name)", .number($0.milliseconds)) }))
        line["cpu_seconds"] = .number(end.usage.cpuSeconds)
        line["peak_memory"] = .integer(end.usage.peakMemory)
        return line
    }
}
