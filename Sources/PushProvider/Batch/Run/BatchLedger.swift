/// Takes down what became of lines: in the folder, and in the summary; and sees when it is of no use to go on.
struct BatchLedger {
    private(set) var summary = BatchSummary()

    private let folder: BatchFolder?
    private let options: BatchOptions
    private let gate: BatchGate
    private var pages: BatchPages
    /// In a row, with none between that a connection came about for.
    private var unreachable = 0
    private var isFull = false

    /// So many in a row that no connection came about for are enough to know.
    private static let mostUnreachable = 20

    init(folder: BatchFolder?, files: [String], options: BatchOptions, gate: BatchGate) {
        self.folder = folder
        self.options = options
        self.gate = gate
        pages = BatchPages(files: files)
        summary.before = folder?.linesBefore ?? 0
        summary.earlier = folder?.replay.counts ?? [:]
    }

    mutating func add(_ results: [BatchResult]) {
        for result in results {
            summary.add(result)
            look(result)
            if let folder { pages.add(result, id: folder.campaign.requestID(result.place)) }
        }
        if let most = options.mostErrors, summary.errors >= most {
            gate.stop(BatchStop(.errors, "\(summary.errors) lines were not accepted, and \(most) are enough."))
        }
        write()
        gate.concluded(results.count, bytes: results.reduce(0) { $0 + $1.row.text.count })
    }

    private mutating func look(_ result: BatchResult) {
        guard case .push(let outcome) = result.outcome else { return }
        guard case .notSent(let notSent) = outcome, notSent.cause == .noConnection else {
            unreachable = 0
            return
        }
        unreachable += 1
        guard unreachable == Self.mostUnreachable else { return }
        gate.stop(
            BatchStop(
                .unreachable,
                "No connection came about for \(unreachable) lines in a row. The last: \(notSent.description)"))
    }

    /// What cannot be written is kept and tried again with the next: nothing more is read, so that it becomes no more than the window.
    private mutating func write() {
        guard let folder, !pages.isEmpty else { return }
        do throws(SystemError) {
            try folder.commit(pages, isDurable: options.isDurable)
            pages.removeAll()
        } catch {
            gate.stop(
                BatchStop(
                    .output, "The results cannot be written to \(folder.path): \(error). No more lines were sent."))
            // What was kept free is for what is in flight now.
            if error.isFull, !isFull {
                isFull = true
                if folder.giveUpReserve() { write() }
            }
        }
    }

    /// Ends the run: what was marked and never handed on has not gone out.
    mutating func close(isCancelled: Bool) -> BatchSummary {
        if isCancelled { gate.stop(BatchStop(.asked, "It was cancelled.")) }
        write()
        summary.unwritten = pages.ends.count
        let leftovers = gate.leftovers()
        summary.released += leftovers.count
        // Where it cannot be written they are unknown to the next run, which is less than is known, and not wrong.
        try? folder?.release(leftovers)
        _ = folder?.giveUpReserve()
        summary.stop = gate.stopped
        return summary
    }
}
