internal import APNSVocabulary
internal import PushProvider
internal import PushTime

/// Records the outcomes of lines in the folder and in the summary, decides which lines are sent again, and stops a
/// campaign that cannot continue.
struct BatchLedger {
    private(set) var summary = BatchSummary()

    private let folder: BatchFolder?
    private let options: BatchOptions
    private let gate: BatchGate
    private let retry: PushConfiguration.RetryPolicy
    private var pages: BatchPages
    private var held: HeldRejections
    /// How many lines in a row were not sent because no connection is possible until something is corrected, and why.
    private var hopeless = (count: 0, reason: "")
    private var isFull = false

    /// After this many lines in a row for which no connection is possible, the campaign ends.
    private static let maximumHopeless = 20
    /// How often a line is sent again while the server answers other lines. After that, its last outcome is final.
    private static let maximumOwnReturns = 4
    /// How often a line that the server refuses is sent again if it has answered other lines before, and there is no outage: about half a
    /// minute.
    private static let maximumReturnsAtEnd = 7
    /// The maximum pause before a line is sent again, unless the server asks for more.
    private static let longestPause: Duration = .seconds(60)

    init(
        folder: BatchFolder?, files: [String], options: BatchOptions, gate: BatchGate,
        retry: PushConfiguration.RetryPolicy,
        breaker: PushConfiguration.MismatchBreaker?
    ) {
        self.folder = folder
        self.options = options
        self.gate = gate
        self.retry = retry
        pages = BatchPages(files: files, takesGoneAtFaceValue: options.takesGoneAtFaceValue)
        held = HeldRejections(breaker)
        summary.before = folder?.linesBefore ?? 0
        summary.earlier = folder?.replay.counts ?? [:]
    }

    // MARK: Results

    /// Adds the results of lines.
    ///
    /// - Parameters:
    ///   - results: The results.
    ///   - isStopping: Whether the run is being stopped because device tokens and setup do not match. Then rejections
    ///     that are held back do not become final.
    /// - Returns: The final results: outcomes, and lines that only the next run sends.
    mutating func add(_ results: [BatchResult], isStopping: Bool) -> [BatchResult] {
        let (answers, isFlowing) = gate.concluded(results.compactMap(\.signal))
        // An earlier run may have left only the lines that the server refuses.
        let hasAnswered = answers > 0 || [.accepted, .rejected].contains { summary.earlier[$0, default: 0] > 0 }
        var reported: [BatchResult] = []
        var returned: [(line: PushNotification, pause: BatchGate.Pause, keyed: BatchGate.KeyedLine?)] = []
        var keyed: [BatchGate.KeyedLine] = []
        var (count, bytes) = (0, 0)
        for result in results {
            check(result)
            if case .returns(let asked) = result.fate,
                let line = again(result, answers: answers, isAlone: isFlowing && hasAnswered)
            {
                pages.release(result)
                returned.append((line, pause(asked, line), result.keyed))
                continue
            }
            if let line = result.keyed { keyed.append(line) }
            count += 1
            bytes += result.row.text.count
            if result.fate == .released {
                release(result)
                reported.append(result)
            } else if held.hold(result) {
                // APNs has not delivered it. After a kill, the next run sends it again.
                pages.release(result)
            } else {
                reported.append(conclude(result))
            }
        }
        if !isStopping { for result in held.takeDecided() { reported.append(conclude(result)) } }
        let errors = summary.errors + held.count
        if let maximum = options.maximumErrors, errors >= maximum {
            gate.stop(BatchStop(.errors, "\(errors) lines weren't accepted; the limit is \(maximum)."))
        }
        // Write before a line can be marked again, so that the journal keeps the order of events.
        write()
        for (line, pause, keyed) in returned where !gate.putBack(line, after: pause, keyed: keyed) {
            summary.released += 1
            count += 1
            bytes += line.row?.text.count ?? 0
        }
        gate.concluded(count, bytes: bytes, keyed: keyed)
        return reported
    }

    private mutating func conclude(_ result: BatchResult) -> BatchResult {
        let final = result.givenUp
        summary.add(final, takesGoneAtFaceValue: options.takesGoneAtFaceValue)
        if folder != nil { pages.add(final) }
        return final
    }

    private mutating func release(_ result: BatchResult) {
        summary.release(result)
        pages.release(result)
    }

    /// The line to send again in this run; `nil` if it was already sent again the maximum number of times.
    private func again(_ result: BatchResult, answers: Int, isAlone: Bool) -> PushNotification? {
        guard var line = result.notification, let row = line.row, case .push(let push) = result.outcome else {
            return nil
        }
        var history = row.history
        history.attempts = push.trace.attempts
        if history.returns == 0 { history.answersBefore = answers }
        if answers > history.answersBefore { history.ownReturns += 1 }
        history.returns += 1
        guard history.ownReturns <= min(Self.maximumOwnReturns, retry.attempts - 1) else { return nil }
        if case .rejected = push, isAlone, history.returns > Self.maximumReturnsAtEnd { return nil }
        line.row = row.returned(history)
        return line
    }

    private func pause(_ asked: Duration?, _ line: PushNotification) -> BatchGate.Pause {
        let returns = line.row?.history.returns ?? 1
        let own = min(retry.backoff.pause(after: returns - 1), Self.longestPause) * .random(in: 0...1)
        guard let asked, asked > own else { return BatchGate.Pause(time: own) }
        return BatchGate.Pause(time: asked, isAsked: true)
    }

    private mutating func check(_ result: BatchResult) {
        switch result.outcome {
        case .push(.notSent(let notSent)) where notSent.isConnectionHopeless:
            hopeless = (hopeless.count + 1, notSent.description)
            if hopeless.count == Self.maximumHopeless { stopWithoutHope() }
        case .push: hopeless.count = 0
        case .invalid, .duplicate, .interrupted: break
        }
    }

    private func stopWithoutHope() {
        let lines = hopeless.count == 1 ? "a line" : "\(hopeless.count) lines in a row"
        gate.stop(
            BatchStop(
                .unreachable, "Couldn't connect for \(lines). The last failure: \(hopeless.reason)"))
    }

    /// Writes to the folder. What cannot be written is kept, and written with the next results. No more lines are read
    /// then, so at most one window is kept.
    private mutating func write() {
        guard let folder, !pages.isEmpty else { return }
        do throws(SystemError) {
            try folder.commit(pages, isDurable: options.isDurable)
            pages.removeAll()
        } catch {
            gate.stop(
                BatchStop(
                    .output, "The results can't be written to \(folder.path): \(error). No more lines were sent."))
            // The reserved space is for the lines that are in flight now.
            if error.isFull, !isFull {
                isFull = true
                if folder.giveUpReserve() { write() }
            }
        }
    }

    // MARK: The end

    /// Ends the run. Lines that were marked but not released, or were waiting to be sent again, count as not sent.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the task of the run was cancelled.
    ///   - isMismatched: Whether device tokens and setup do not match.
    /// - Returns: The summary, and the results that were held back until now.
    mutating func close(isCancelled: Bool, isMismatched: Bool) -> (summary: BatchSummary, reported: [BatchResult]) {
        if isCancelled { gate.stop(BatchStop(.asked, "The campaign was cancelled.")) }
        // There were too few lines to stop earlier.
        if !gate.isStopped, hopeless.count > 0 { stopWithoutHope() }
        // Whatever stopped the run first: rejections that look like a wrong setup do not count against the lines.
        let isSetup = isMismatched || gate.isStopped && held.isMostOfAnswers
        var reported: [BatchResult] = []
        for result in held.takeAll() {
            if isSetup {
                summary.release(result)
                reported.append(result.released)
            } else {
                reported.append(conclude(result))
            }
        }
        write()
        summary.unwritten = pages.ends.count
        let leftovers = gate.leftovers()
        summary.released += leftovers.count + gate.returnedLines().count
        // If this write fails, the next run treats these lines as unknown. That is safe, only less precise.
        try? folder?.release(leftovers)
        _ = folder?.giveUpReserve()
        if let folder, !folder.isInPlace {
            gate.stop(BatchStop(.output, "The folder \(folder.path) was deleted or moved during the run."))
        }
        summary.stop = gate.stopped
        // Whatever stopped the run first: this is what has to be corrected.
        if let folder, (try? folder.requireWhole()) == nil {
            summary.stop = BatchStop(
                .output, "The journal or results.jsonl in \(folder.path) was truncated during the run. Restore it.")
        }
        return (summary, reported)
    }
}

extension BatchResult {
    fileprivate var keyed: BatchGate.KeyedLine? {
        row.key.map { BatchGate.KeyedLine(index: index, key: $0, wasStarted: wasStarted) }
    }
}

extension BatchResult {
    /// What the result says about the server; `nil` for a line that was not sent.
    var signal: OutageState.Signal? {
        guard row.skipReason == nil else { return nil }
        switch outcome {
        case .push(.accepted): return .answered
        case .push(.unknown(let unknown)):
            if unknown.cause == .cancelled { return OutageState.Signal.none }
            return .refused(OutageState.Refusal(message: unknown.description))
        case .push(.rejected(let rejection)): return signal(of: rejection)
        case .push(.notSent(let notSent)): return signal(of: notSent)
        case .invalid, .duplicate, .interrupted, .push(.invalid): return OutageState.Signal.none
        }
    }

    private func signal(of rejection: PushOutcome.Rejection) -> OutageState.Signal {
        switch fate {
        case .ends: return .answered
        case .released: return .none
        case .returns:
            let reason = rejection.reason.map { " \(PeerText.printable($0.rawValue))" } ?? ""
            let asked = rejection.retryAfter == nil ? nil : rejection.againAfter
            return .refused(
                OutageState.Refusal(askedPause: asked, isAnswer: true, message: "\(rejection.status)\(reason)"))
        }
    }

    private func signal(of notSent: PushOutcome.NotSent) -> OutageState.Signal {
        guard case .returns = fate else { return .none }
        return .refused(
            OutageState.Refusal(
                isUnreachable: notSent.cause == .noConnection, isAnswer: notSent.cause == .refused,
                message: notSent.description))
    }
}
