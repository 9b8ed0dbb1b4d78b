import NIOConcurrencyHelpers
internal import PushCampaign
import PushProvider

/// Counts the outcomes of a campaign, and shows the progress: on a terminal as a line that is overwritten, elsewhere as
/// a line from time to time.
final class CampaignProgress: Sendable {
    private let figures = NIOLockedValueBox(CampaignFigures())
    private let screen = NIOLockedValueBox(ProgressScreen())
    private let clock = ContinuousClock()
    private let begun: ContinuousClock.Instant
    private let options: CampaignOptions

    /// The findings of the rules. They are reported at once.
    private let findings: NIOLockedValueBox<CampaignFindings>
    private let isPaused = NIOLockedValueBox(false)
    /// The number of updates in a row without a ready connection.
    private let updatesWithoutConnection = NIOLockedValueBox(0)

    /// In a file, a progress line is written only once per this number of updates.
    private static let updatesForLine = 40
    /// Shorter pauses are not reported.
    private static let shortestPause: Duration = .seconds(3)
    /// After this many updates without a connection, the reason is printed: 3 seconds.
    private static let updatesForConnection = 12

    init(_ options: CampaignOptions, _ findings: CampaignFindings) {
        self.options = options
        self.findings = NIOLockedValueBox(findings)
        begun = clock.now
    }

    var seconds: Double { begun.duration(to: clock.now) / .seconds(1) }

    func see(_ results: [BatchResult], _ summary: BatchSummary) {
        figures.withLockedValue { $0.add(results, summary) }
    }

    func figures(at summary: BatchSummary) -> CampaignFigures {
        let seconds = seconds
        return figures.withLockedValue { figures in
            figures.end(summary, after: seconds)
            return figures
        }
    }

    /// Shows the progress until its task is cancelled.
    func showProgress(of client: PushClient, _ batch: PushBatch) async {
        var updates = 0
        while (try? await clock.sleep(for: .milliseconds(250))) != nil {
            updates += 1
            reportFindings(of: batch)
            reportPause(batch.pause)
            reportDiagnosis(client.diagnosis)
            let seconds = seconds
            let now = figures.withLockedValue { figures in
                figures.record(after: seconds)
                return figures
            }
            // With --verbose, log lines would appear in the middle of a line that is overwritten.
            let columns = options.verbose ? nil : Output.progressColumns
            guard columns != nil || updates.isMultiple(of: Self.updatesForLine) else { continue }
            let line = ProgressLine(
                summary: now.summary, rate: now.course.rate(ofLast: columns == nil ? 10 : 2), total: total(batch),
                seconds: seconds,
                limit: ProgressLine.text(batch.pause)
                    ?? ProgressLine.text(client.diagnosis.limit, hasRate: options.rate != nil))
            show(line, columns: columns)
        }
        clear()
        reportFindings(of: batch)
    }

    /// The estimated number of lines, from the lines read and the share of the files read.
    private func total(_ batch: PushBatch) -> Double? {
        let read = batch.shareRead.flatMap { $0 > 0 ? Double(batch.linesRead) / $0 : nil }
        guard let sample = options.sample.map({ Double($0.sample.count) }) else { return read }
        return min(sample, read ?? sample)
    }

    private func show(_ line: ProgressLine, columns: Int?) {
        guard let columns else { return Output.note(line.text(columns: nil)) }
        screen.withLockedValue { Output.ask($0.show(line.text(columns: columns), columns: columns)) }
    }

    private func clear() {
        screen.withLockedValue { Output.ask($0.clear(columns: Output.progressColumns ?? .max)) }
    }

    /// Prints a note while the progress is shown.
    func note(_ message: String) {
        screen.withLockedValue { screen in
            Output.ask(screen.clear(columns: Output.progressColumns ?? .max))
            Output.note(message)
        }
    }

    /// Reports when the campaign pauses because APNs accepts no requests, and when it continues.
    private func reportPause(_ pause: BatchPause?) {
        let isLong = pause.map { $0.lasting > Self.shortestPause } ?? false
        let hasChanged = isPaused.withLockedValue { isPaused in
            // While one line is tried, wait for its answer before reporting.
            guard isPaused != isLong, isLong || pause == nil else { return false }
            isPaused = isLong
            return true
        }
        guard hasChanged else { return }
        guard let pause else { return note("APNs accepts lines again: the campaign continues.") }
        let wait = options.outageWait?.duration ?? BatchOptions().outageWait
        note(
            """
            APNs accepts no lines: \(Self.sentence(pause.reason)) The campaign pauses, tries one line from time to time for up \
            to \(Self.text(wait)), and continues when APNs accepts one.
            """)
    }

    /// Reports once that no connection could be made, before the first line has waited for its whole deadline.
    private func reportDiagnosis(_ diagnosis: PushClient.Diagnosis) {
        let isConnecting = diagnosis.limit == .connecting
        let isLong = updatesWithoutConnection.withLockedValue { updates in
            updates = isConnecting ? updates + 1 : 0
            return updates == Self.updatesForConnection
        }
        guard isLong, !isPaused.withLockedValue({ $0 }) else { return }
        note("\(Self.sentence(diagnosis.description)) The campaign keeps trying.")
    }

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") ? text.printable : "\(text.printable)."
    }

    /// `30 min`, `45 s`
    private static func text(_ time: Duration) -> String {
        let seconds = time / .seconds(1)
        guard seconds >= 60, seconds < 1e9, Int(seconds).isMultiple(of: 60) else {
            return CampaignTable.duration(seconds)
        }
        return "\(Int(seconds) / 60) min"
    }

    private func reportFindings(of batch: PushBatch) {
        for line in findings.withLockedValue({ $0.unreported(of: batch.findings, batch.unfilled) }) { note(line) }
    }
}
