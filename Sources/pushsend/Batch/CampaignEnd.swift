internal import PushCampaign
import PushCommandLine
import PushPlatform
import PushProvider

struct CampaignEnd: Sendable {
    var figures: CampaignFigures
    /// The findings of the rules.
    var findings: [BatchFinding] = []
    var seconds: Double
    var usage: ProcessUsage
    var folder: String
    /// Whether the folder is still in place: not deleted or moved during the run.
    var isFolderInPlace = true
    /// Whether there was nothing left to do, so that this is the end of an earlier run.
    var isEarlier = false

    var table: CampaignTable {
        CampaignTable(summary: figures.summary, percentiles: figures.usefulPercentiles, seconds: seconds, usage: usage)
    }
}

extension CampaignPlan {
    /// Checks that the report can be written, before millions of lines are sent.
    func requireRoomForReport() throws {
        guard let path = options.report else { return }
        let file = SavedFile.open(path, O_RDWR | O_APPEND, 0o644)
        guard file >= 0 else {
            throw CommandFailure(
                .cannotCreate, "The report \(path.printable) can't be written: \(SavedFile.reason(errno, path)).")
        }
        var facts = stat()
        // The reader of a pipe would take its end for the end of the report. So it stays open until the process ends.
        if fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFIFO { return }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: CampaignPage.beginning.utf8.count)
        // A device is not a file whose content could be lost.
        guard lseek(file, 0, SEEK_SET) == 0, case let count = systemRead(file, &head, head.count), count > 0 else {
            return
        }
        guard head[..<count].elementsEqual(CampaignPage.beginning.utf8) else {
            throw CommandFailure(
                .cannotCreate,
                """
                The report would overwrite \(path.printable), which isn't a report page: name another file with --report.
                """)
        }
    }

    /// Writes the report page.
    ///
    /// - Returns: `false` if it could not be written.
    func writePage(_ end: CampaignEnd) -> Bool {
        guard let path = options.report else { return true }
        do {
            try SavedFile(path: path, replaces: true).write(Array(page(end).html.utf8))
            return true
        } catch {
            Output.complain((error as? CommandFailure)?.message ?? "The report \(path.printable) can't be written.")
            return false
        }
    }

    private func page(_ end: CampaignEnd) -> CampaignPage {
        let summary = end.figures.summary
        let inputs = files.map { $0 == "-" ? "standard input" : $0 }
        let title = inputs.count > 2 ? "\(inputs[0]) and \(inputs.count - 1) others" : inputs.joined(separator: ", ")
        var facts = [
            ("Input", inputs.joined(separator: ", ")), ("Topic", defaults.topic), ("Sent to", "\(target.environment)"),
            ("Results", end.folder), ("Began", InspectedTime.text(begun)),
        ]
        if summary.before > 0, summary.concluded > 0 { facts.append(("This run began", InspectedTime.text(now))) }
        if let ended = ended(end) { facts.append(("Ended", InspectedTime.text(ended))) }
        if summary.concluded > 0 {
            facts.append(("CPU", CampaignTable.duration(end.usage.cpuSeconds)))
            facts.append(("Peak memory", "\(end.usage.peakMemory / (1 << 20)) MiB"))
        }
        let next =
            summary.isFinished
            ? CampaignText.left(end.folder)
            : [CampaignText.whatIsNext(summary)]
        return CampaignPage(
            title: "Campaign: \(title)", facts: facts.filter { !$0.1.isEmpty }, payload: payload, summary: summary,
            percentiles: end.figures.usefulPercentiles, rates: end.figures.course.rates, seconds: end.seconds,
            findings: end.findings.map { ($0.finding.rule, $0.lines) }, next: next)
    }

    /// Returns when the last run ended: now, or when that run wrote its summary.
    private func ended(_ end: CampaignEnd) -> Int? {
        guard end.isEarlier else { return Int(Date().timeIntervalSince1970) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(end.folder)/summary.json")
        return (attributes?[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
    }
}
