import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Everything that is known when a run of a campaign has ended.
struct CampaignEnd: Sendable {
    var figures: CampaignFigures
    /// What the rules say of the lines.
    var findings: [BatchFinding] = []
    var seconds: Double
    var usage: ProcessUsage
    var folder: String
    /// It was not deleted or moved during the run.
    var isFolderInPlace = true

    var table: CampaignTable {
        CampaignTable(summary: figures.summary, percentiles: figures.tellingPercentiles, seconds: seconds, usage: usage)
    }
}

extension CampaignPlan {
    /// A page that cannot be written is found out before a million lines are sent.
    func requireRoomForReport() throws {
        guard let path = options.report else { return }
        guard let file = fopen(path, "a+e") else {
            throw CommandFailure(
                status: .cannotCreate,
                message: "The report \(path.printable) cannot be written: \(String(cString: strerror(errno))).")
        }
        defer { fclose(file) }
        var head = [UInt8](repeating: 0, count: CampaignPage.beginning.utf8.count)
        // A device, too, is no file that could be lost.
        guard fseek(file, 0, SEEK_SET) == 0, case let count = fread(&head, 1, head.count, file), count > 0 else {
            return
        }
        guard head[..<count].elementsEqual(CampaignPage.beginning.utf8) else {
            throw CommandFailure(
                status: .cannotCreate,
                message: """
                    The report would take the place of \(path.printable), which is no page: name another file with --report.
                    """)
        }
    }

    /// - Returns: `false` when it could not be written.
    func writePage(_ end: CampaignEnd) -> Bool {
        guard let path = options.report else { return true }
        do {
            try SavedFile(path: path, replaces: true).write(Array(page(end).html.utf8))
            return true
        } catch {
            Output.complain((error as? CommandFailure)?.message ?? "The report \(path.printable) cannot be written.")
            return false
        }
    }

    private func page(_ end: CampaignEnd) -> CampaignPage {
        let summary = end.figures.summary
        let inputs = files.map { $0 == "-" ? "standard input" : $0 }
        let title = inputs.count > 2 ? "\(inputs[0]) and \(inputs.count - 1) others" : inputs.joined(separator: ", ")
        var facts = [
            ("Input", inputs.joined(separator: ", ")), ("Topic", defaults.topic), ("Sent to", "\(target.place)"),
            ("Results", end.folder), ("Ended", Self.moment(Date())),
        ]
        if summary.concluded > 0 {
            facts.append(("CPU", CampaignTable.duration(end.usage.cpuSeconds)))
            facts.append(("Memory at the most", "\(end.usage.peakMemory / (1 << 20)) MiB"))
        }
        let next =
            summary.isFinished
            ? CampaignReport.left(end.folder)
            : [CampaignReport.whatIsNext(summary)]
        return CampaignPage(
            title: "Campaign: \(title)", facts: facts.filter { !$0.1.isEmpty }, summary: summary,
            percentiles: end.figures.tellingPercentiles, rates: end.figures.course.rates, seconds: end.seconds,
            findings: end.findings.map { ($0.finding.rule, $0.lines) }, next: next)
    }

    /// `2026-11-22 10:36:55 UTC`
    private static func moment(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }
}
