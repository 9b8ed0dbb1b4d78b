public import PushProvider

/// A campaign: sends the lines of files, or of any sequence, and says of each what became of it.
///
/// Memory is bounded whatever the number of lines. With a ``BatchFolder`` a run that was ended, be it by a kill, is followed by
/// another that goes on where it was, and sends no line twice that may have gone out.
///
/// ```swift
/// let batch = PushBatch(entries, through: client)
/// let summary = try await batch.run { results in
///     for result in results { print(result.line, result.outcome) }
/// }
/// ```
public final class PushBatch: Sendable {
    private let client: PushClient
    private let folder: BatchFolder?
    private let options: BatchOptions
    private let rows: any BatchRows
    private let files: [String]
    private let gate: BatchGate
    private let found = BatchFindings()
    /// In seconds since 1970; `nil` where nobody has said.
    private let now: Int?
    /// Of each file, in bytes; `nil` where somebody is still writing it, or nobody knows how long it will be.
    private let sizes: [Int]?

    /// Describes a campaign of files.
    ///
    /// - Parameters:
    ///   - files: Their paths; `-` is standard input.
    ///   - format: How their lines are written; `nil` to recognise it.
    ///   - defaults: What holds for every line.
    ///   - client: Sends them.
    ///   - folder: Where it keeps what became of them; `nil` to keep nothing.
    ///   - options: How to run it.
    ///   - now: For the rules of the lint about times, in seconds since 1970.
    public init(
        files: [String], format: BatchFormat? = nil, _ defaults: BatchDefaults, through client: PushClient,
        folder: BatchFolder? = nil, options: BatchOptions = BatchOptions(), secondsSince1970 now: Int
    ) {
        self.client = client
        self.folder = folder
        self.options = options
        self.files = files
        self.now = now
        rows = FileRows(files, format: format, RowReader(defaults))
        let known = files.map { InputFile.identity(of: $0)?.size }
        sizes = known.contains(nil) ? nil : known.map { $0 ?? 0 }
        gate = Self.gate(options, folder)
    }

    private static func gate(_ options: BatchOptions, _ folder: BatchFolder?) -> BatchGate {
        let window = folder?.window(options.window) ?? options.window
        return BatchGate(window: max(1, window), outageWait: options.outageWait)
    }

    /// Describes a campaign of a sequence, which another run must give from its beginning again.
    ///
    /// - Parameters:
    ///   - entries: What to send.
    ///   - client: Sends it.
    ///   - folder: Where it keeps what became of it; `nil` to keep nothing.
    ///   - options: How to run it.
    public init<Entries: AsyncSequence & Sendable>(
        _ entries: Entries, through client: PushClient, folder: BatchFolder? = nil,
        options: BatchOptions = BatchOptions()
    ) where Entries.Element == BatchEntry {
        self.client = client
        self.folder = folder
        self.options = options
        files = []
        sizes = nil
        now = nil
        rows = SequenceRows(entries)
        gate = Self.gate(options, folder)
    }

    /// How much of its files is read, from 0 to 1; `nil` for standard input and sequences, of which nobody knows how much will come.
    public var shareRead: Double? {
        guard let sizes, case let total = sizes.reduce(0, +), total > 0 else { return nil }
        let position = gate.position
        return min(1, Double(sizes.prefix(position.file).reduce(0, +) + position.offset) / Double(total))
    }

    /// What the rules say of the lines that were read so far, of each rule what it says of the first line that breaks it. Empty without
    /// ``BatchOptions/lints``.
    public var findings: [BatchFinding] { found.all }

    /// How many lines are read, of this run and of those before whose lines were passed over.
    package var linesRead: Int { gate.position.place }

    /// Whether a file can be read again, and from anywhere: it is no pipe and no terminal.
    package static func canBeReadAgain(_ path: String) -> Bool { InputFile.isRegular(path) }

    /// Why nothing is sent now, when the server takes nothing from anybody; `nil` while lines are sent.
    public var pause: BatchPause? { gate.pause }

    /// Reads no more lines; those that were read have their outcomes, and the run ends. Cancelling the task of the run ends those
    /// too.
    public func stop(_ stop: BatchStop) {
        gate.stop(stop)
    }

    /// Sends the lines that have no outcome yet.
    ///
    /// - Parameter see: Is given the results by the handful, as they come, when they have been written.
    /// - Returns: What became of them.
    /// - Throws: ``BatchInputError`` when the input is not the one of the journal; what `see` throws, which ends it as
    ///   ``stop(_:)`` does.
    public func run(
        _ see: @Sendable ([BatchResult], BatchSummary) async throws -> Void = { _, _ in }
    ) async throws -> BatchSummary {
        try folder?.use(isDurable: options.isDurable)
        defer { folder?.leave() }
        let source = BatchSource(
            rows: rows, folder: folder, gate: gate, options: options,
            lint: options.lints ? lint : nil, refuses: { [client] in client.refuses($0) })
        let course = BatchCourse(
            client: client, notifications: source, timeout: options.timeout, pausesForItsSends: true)
        let clock = options.stopsAfter.map { time in
            Task { [gate] in
                try await Task.sleep(for: time)
                gate.stop(BatchStop(.time, "Its time was over."))
            }
        }
        defer { clock?.cancel() }
        var ledger = BatchLedger(
            folder: folder, files: files, options: options, gate: gate, retry: client.retry,
            breaker: client.mismatchBreaker)
        var failure: (any Error)?
        do {
            try await take(from: course, into: &ledger, see)
        } catch let mismatch as PushMismatch {
            gate.stop(BatchStop(.mismatch, mismatch.description))
        } catch let refused as PushCredentialsRefused {
            gate.stop(BatchStop(.credentials, refused.description))
        } catch {
            failure = error
            gate.stop(BatchStop(.input, "\(error)"))
        }
        let (summary, told) = ledger.close(isCancelled: Task.isCancelled, isMismatched: course.isMismatched)
        if let failure, !(failure is CancellationError) { throw failure }
        if !told.isEmpty { try await see(told, summary) }
        return summary
    }

    private var lint: BatchLint {
        BatchLint(
            client.credentials, found, looksAtTokens: client.environment.appleService != nil,
            isFirstRun: folder.map { $0.replay.marked == 0 } ?? true, secondsSince1970: now)
    }

    private func take(
        from course: BatchCourse, into ledger: inout BatchLedger,
        _ see: @Sendable ([BatchResult], BatchSummary) async throws -> Void
    ) async throws {
        var letters: [OutcomeMailbox.Letter] = []
        var thrown: (any Error)?
        while true {
            try await course.fetch(into: &letters)
            if letters.isEmpty { break }
            var results: [BatchResult] = []
            results.reserveCapacity(letters.count)
            while let letter = letters.popLast() {
                let result = letter.takeResult()
                guard let row = result.notification.row else { continue }
                results.append(BatchResult(result, row))
            }
            let told = ledger.add(results, isStopping: course.isMismatched)
            guard thrown == nil, !told.isEmpty else { continue }
            do { try await see(told, ledger.summary) } catch {
                thrown = error
                gate.stop(BatchStop(.asked, "\(error)"))
            }
        }
        if let thrown { throw thrown }
    }
}
