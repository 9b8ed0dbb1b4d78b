import Logging
internal import PushCampaign
import PushCommandLine
import PushPlatform
import PushProvider

extension CampaignPlan {
    /// Sends the lines that have no outcome yet, and ends the process with the exit code of the result.
    func send(_ signer: Signer) async throws {
        try requireRoomForReport()
        // Read the files again now: the user may have taken long to answer.
        let inputs = try PushBatch.facts(ofFiles: files)
        let folder = try BatchFolder(folder, facts: inputs + facts, startsAnew: options.restart)
        let report = CampaignReport(plan: self)
        if folder.isFinished {
            let end = CampaignEnd(
                figures: CampaignFigures(folder.summary), seconds: 0, usage: .now, folder: folder.path,
                isEarlier: true)
            report.printFinished(end)
            Output.exit(writePage(end) ? report.status(folder.summary) : .cannotCreate)
        }
        if folder.linesBefore > 0 {
            let before = folder.linesBefore
            Output.note(
                "Continuing: \(CampaignText.lines(before)) already \(before == 1 ? "has its outcome" : "have their outcomes")."
            )
        }
        let client = try client(signer)
        let batch = PushBatch(
            files: files, format: options.format?.format, defaults, through: client, folder: folder,
            options: options.options(),
            now: Date(timeIntervalSince1970: Double(now)))
        let course = CampaignCourse(report: report, batch: batch, streams: options.results == "-", files: files)
        let progress = CampaignProgress(options, CampaignFindings(files: files, reportedRules: reportedRules))
        let summary = try await course.run(client, progress)
        await client.shutdown(drainTime: .zero)
        let end = CampaignEnd(
            figures: progress.figures(at: summary), findings: batch.findings, seconds: progress.seconds, usage: .now,
            folder: folder.path, isFolderInPlace: folder.isInPlace)
        let hasSummary = report.leave(end)
        report.print(end)
        let isWritten = writePage(end)
        Output.exit(isWritten ? report.status(end, hasSummary: hasSummary) : .cannotCreate)
    }

    private func client(_ signer: Signer) throws -> PushClient {
        OpenFiles.allowAsManyAsPossible()
        var configuration = PushConfiguration()
        configuration.proxy = target.proxy.proxy
        configuration.checksNotifications = !options.noLint
        configuration.queuedNotifications = options.concurrency ?? configuration.queuedNotifications
        configuration.queuedBytes = 8 << 20
        if let maximum = options.connections { configuration.maximumConnections = maximum }
        if let mismatch = options.mismatch { configuration.mismatchBreaker = mismatch.breaker }
        if options.isAtLeastOnce { configuration.retry.guarantee = .atLeastOnce }
        let isVerbose = options.verbose
        let logger = Logger(label: "pushsend") { label in
            // The campaign itself reports why it pauses or stops.
            guard isVerbose else { return SwiftLogNoOpLogHandler() }
            return TerminalLog(label: label, level: .debug)
        }
        return try PushClient(
            environment: target.environment, credentials: signer.credentials, configuration: configuration,
            logger: logger)
    }
}

/// One run of a campaign, with its progress display and Ctrl-C.
struct CampaignCourse: Sendable {
    var report: CampaignReport
    var batch: PushBatch
    /// Whether results are written to standard output too.
    var streams: Bool
    var files: [String]

    func run(_ client: PushClient, _ progress: CampaignProgress) async throws -> BatchSummary {
        let interrupt = Interrupt()
        let running = Task.detached {
            try await batch.run { results, summary in
                progress.see(results, summary)
                if streams { stream(results) }
            }
        }
        let stopping = Task.detached {
            await interrupt.wait()
            if Task.isCancelled { return }
            batch.stop(BatchStop(.asked, "The campaign was interrupted."))
            progress.note(
                "Stopping: waiting for the answers to the lines in flight. Press Ctrl-C again to stop immediately.")
            await interrupt.wait()
            if Task.isCancelled { return }
            running.cancel()
            // A reader that does not read the results must not block the end.
            try? await Task.sleep(for: .seconds(5))
            if !Task.isCancelled { Output.exit(.interrupted) }
        }
        let showing = Task.detached { await progress.showProgress(of: client, batch) }
        defer {
            stopping.cancel()
            showing.cancel()
        }
        let summary = try await running.value
        showing.cancel()
        await showing.value
        return summary
    }

    private func stream(_ results: [BatchResult]) {
        var lines = BatchResultLines(files: files)
        for result in results { lines.add(result) }
        if lines.bytes.isEmpty { return }
        switch Output.put(lines.bytes) {
        case 0: break
        case EPIPE: batch.stop(BatchStop(.unread, "The reader of the results has closed the pipe."))
        case let number:
            let message = String(cString: strerror(number))
            batch.stop(BatchStop(.output, "The results can't be printed: \(message). No more lines were sent."))
        }
    }
}
