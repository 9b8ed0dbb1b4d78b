internal import PushCampaign
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// The report at the end of a run, and its exit code.
struct CampaignReport: Sendable {
    var plan: CampaignPlan

    /// Writes the summary to the folder, for later use.
    ///
    /// - Returns: Whether it was written.
    func leave(_ end: CampaignEnd) -> Bool {
        guard end.isFolderInPlace else { return false }
        let path = "\(end.folder)/summary.json"
        let number = PrivateFile.replace(path, with: Array(line(end).bytes) + [UInt8(ascii: "\n")])
        guard number != 0 else { return true }
        Output.complain(
            "The summary can't be written to \(path): \(String(cString: strerror(number))). The results are in the folder."
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
            if summary.stop?.code != .lint, let message = CampaignText.released(summary) { Output.note("\n\(message)") }
            let findings = CampaignFindings(files: plan.files).table(of: end.findings)
            if !findings.isEmpty {
                Output.note(
                    (["", "  Lint findings (see pushsend explain RULE):"] + findings).joined(separator: "\n"))
            }
            complainOfInvalid(end)
            if summary.before > 0 { Output.note("\nAll runs: \(CampaignText.totals(summary))") }
            if end.isFolderInPlace { Output.note("\nResults: \(folder)/results.jsonl") }
        }
        if let message = CampaignText.undecided(summary) { Output.note("\n\(message)") }
        if let message = CampaignText.superseded(summary) { Output.note("\n\(message)") }
        if let stop = summary.stop { Output.complain(stop.description) }
        if let refusal = CampaignText.refusal(summary) { Output.complain(refusal) }
        if summary.unwritten > 0 {
            Output.complain(
                "\(CampaignText.grouped(summary.unwritten)) outcomes couldn't be written: the next run counts those lines as unknown."
            )
        }
        if !end.isFolderInPlace {
            Output.complain(Self.whatIsLost(folder))
        } else if summary.concluded + summary.before + summary.released == 0, summary.stop == nil {
            Output.complain(CampaignText.noLines(in: plan.files))
        } else if !summary.isFinished {
            Output.note(CampaignText.whatIsNext(summary))
        } else if !plan.options.json {
            for message in CampaignText.left(folder) { Output.note(message) }
        }
    }

    /// Describes what is lost if the folder was deleted or moved during the run.
    private static func whatIsLost(_ folder: String) -> String {
        """
        The folder \(folder.printable) no longer exists. If it was moved, move it back and run the same command to continue. \
        If it was deleted, its results are lost, and the same command resends every line, even those already sent.
        """
    }

    private func complainOfInvalid(_ end: CampaignEnd) {
        guard let first = end.figures.firstInvalid else { return }
        let summary = end.figures.summary
        let isAll = CampaignStatus.isAllInvalid(summary)
        let which = isAll ? "None of the lines can" : "\(CampaignText.lines(summary.invalid)) can't"
        let next =
            isAll
            ? " Correct the input, and start again with --restart."
            : " Correct these lines, and send them as a separate campaign: \(end.folder.printable)/results.jsonl has their numbers."
        Output.complain("\(which) be sent. The first: \(CampaignText.mistake(first, in: plan.files))\(next)")
    }

    /// Reports a campaign that had nothing left to do.
    func printFinished(_ end: CampaignEnd) {
        let before = end.figures.summary.before
        if plan.options.json { Output.print(line(end).text) }
        guard before > 0 else { return Output.complain(CampaignText.noLines(in: plan.files)) }
        Output.note(
            """
            Every line has its outcome: \(CampaignText.totals(end.figures.summary)), in \(end.folder)/results.jsonl. \
            --restart resends all of them.
            """)
    }

    private func line(_ end: CampaignEnd) -> JSONLine {
        let summary = end.figures.summary
        let percentiles = end.figures.percentiles.map { ("p\($0.name)", PushJSONValue.number($0.milliseconds)) }
        var line: JSONLine = [
            "totals": .object(summary.totals.mapValues(PushJSONValue.integer)), "gone": .integer(summary.gone),
            "undecided": .integer(summary.undecided), "left": .integer(summary.released),
            "again": .integer(summary.again), "before": .integer(summary.before),
            "reasons": .object(summary.reasons.mapValues(PushJSONValue.integer)),
            "finished": .bool(summary.isFinished), "stopped": summary.stop.map { .string($0.code.description) },
            "detail": summary.stop.map { .string($0.description) }, "folder": .string(end.folder),
            "seconds": .number(end.seconds), "ms": .object(Dictionary(uniqueKeysWithValues: percentiles)),
            "cpu_seconds": .number(end.usage.cpuSeconds), "peak_memory": .integer(end.usage.peakMemory),
        ]
        for kind in CampaignText.kinds(summary) { line[kind.key] = .integer(kind.count) }
        if !end.findings.isEmpty { line["findings"] = CampaignFindings.json(end.findings, files: plan.files) }
        return line
    }

    // MARK: The exit code

    /// Returns the exit code, also if the folder was moved or has no summary.
    func status(_ end: CampaignEnd, hasSummary: Bool) -> ExitStatus {
        guard end.isFolderInPlace else { return .cannotWrite }
        let status = status(end.figures.summary)
        return !hasSummary && [.success, .rejected].contains(status) ? .cannotWrite : status
    }

    func status(_ summary: BatchSummary) -> ExitStatus {
        let again = FileMark(path: "\(plan.folder)/again.jsonl")?.isEmpty == false
        return CampaignStatus(
            summary: summary, hasAgain: again || summary.again > 0, failsOnRejected: plan.options.failOnRejected
        ).status
    }
}

/// The exit code of a campaign: the worst of all results.
///
/// 0 means that nothing is left to send and no outcome is unknown.
struct CampaignStatus {
    var summary: BatchSummary
    /// Whether there are lines in `again.jsonl` that the server did not accept.
    var hasAgain: Bool
    var failsOnRejected: Bool

    var status: ExitStatus {
        if summary.unwritten > 0 { return .cannotWrite }
        if let own = Self.ofStop(summary.stop) { return own }
        return [credentials, unknown, left, fault].max() ?? .success
    }

    /// Returns the exit code for a stop that is more important than the outcomes of the lines.
    private static func ofStop(_ stop: BatchStop?) -> ExitStatus? {
        switch stop?.code {
        case .asked: .interrupted
        case .output: .cannotWrite
        case .input, .lint: .invalidInput
        default: nil
        }
    }

    private var credentials: ExitStatus {
        summary.stop?.code == .credentials || summary.refusedSender > 0 ? .credentials : .success
    }

    private var unknown: ExitStatus {
        summary.totals["unknown", default: 0] > 0 ? .unknown : .success
    }

    private var left: ExitStatus {
        if hasAgain { return .tryAgain }
        if summary.stop?.code == .unreachable { return .cannotConnect }
        return summary.stop != nil || summary.released > 0 ? .tryAgain : .success
    }

    /// The exit code for errors in the lines.
    private var fault: ExitStatus {
        if Self.isAllInvalid(summary) || !hasAgain && Self.isAllLate(summary) { return .invalidInput }
        // A superseded line is none: its device shows a later line.
        let faults = ["rejected", "invalid", "duplicates", "not_sent"]
        return failsOnRejected && faults.contains { summary.totals[$0, default: 0] > 0 } ? .rejected : .success
    }

    /// Whether every line of all runs was invalid or had expired before it could be sent.
    private static func isAllLate(_ summary: BatchSummary) -> Bool {
        let totals = summary.totals
        let (invalid, late) = (totals["invalid", default: 0], totals["not_sent", default: 0])
        return summary.released == 0 && late > 0 && invalid + late == summary.before + summary.concluded
    }

    /// Whether no line of all runs could be sent, so that there is no campaign.
    static func isAllInvalid(_ summary: BatchSummary) -> Bool {
        let count = summary.before + summary.concluded
        // A run that stops before its first line says nothing about the lines.
        guard count > 0 || summary.stop == nil else { return false }
        return summary.released == 0 && summary.totals["invalid"] == count
    }
}
