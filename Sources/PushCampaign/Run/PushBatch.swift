public import PushPlatform
public import PushProvider

/// A campaign: sends the lines of files, or the entries of a sequence, and reports the outcome of each.
///
/// The memory use is limited, whatever the number of lines. With a ``BatchFolder``, a new run continues a run that
/// ended early, even one that was killed. It does not send a line again that may have been sent.
///
/// ```swift
/// let batch = PushBatch(entries, through: client, folder: folder)
/// let summary = try await batch.run { results, _ in
///     for result in results { print(result.ref ?? .null, result.reason ?? "accepted") }
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
    /// The current time in seconds since 1970, for rules about times; `nil` to skip these rules.
    private let now: Int?
    /// The size of each file in bytes; `nil` if a file is still being written, or its size is unknown.
    private let sizes: [Int]?

    /// Creates a campaign of files.
    ///
    /// - Parameters:
    ///   - files: The paths of the files; `-` is standard input.
    ///   - format: The format of the lines; `nil` to detect it.
    ///   - defaults: Values for every line.
    ///   - client: The client that sends the lines.
    ///   - folder: The folder for the outcomes; `nil` to write nothing.
    ///   - options: How to run the campaign.
    ///   - now: The current time, for rules about times.
    public init(
        files: [String], format: BatchFormat? = nil, _ defaults: BatchDefaults, through client: PushClient,
        folder: BatchFolder? = nil, options: BatchOptions = BatchOptions(), now: Date = Date()
    ) {
        self.client = client
        self.folder = folder
        self.options = options
        self.files = files
        self.now = Int(clamping: now.timeIntervalSince1970)
        rows = FileRows(files, format: format, RowReader(defaults))
        let known = files.map { InputFile.identity(of: $0)?.size }
        sizes = known.contains(nil) ? nil : known.map { $0 ?? 0 }
        gate = Self.gate(options, folder)
    }

    private static func gate(_ options: BatchOptions, _ folder: BatchFolder?) -> BatchGate {
        let window = folder?.window(options.window) ?? options.window
        return BatchGate(window: max(1, window), outageWait: options.outageWait)
    }

    /// Creates a campaign of a sequence. To continue it, another run must give the same sequence from its beginning.
    ///
    /// - Parameters:
    ///   - entries: What to send.
    ///   - client: The client that sends the entries.
    ///   - folder: The folder for the outcomes; `nil` to write nothing.
    ///   - options: How to run the campaign.
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

    /// The share of the files that has been read, from 0 to 1; `nil` for standard input and sequences, because their
    /// length is unknown.
    public var shareRead: Double? {
        guard let sizes, case let total = sizes.reduce(0, +), total > 0 else { return nil }
        let position = gate.position
        return min(1, Double(sizes.prefix(position.file).reduce(0, +) + position.offset) / Double(total))
    }

    /// The findings of the rules in the lines that were read so far. Each rule reports the first line that breaks it.
    /// Empty without ``BatchOptions/lints``.
    public var findings: [BatchFinding] { found.all }

    /// The placeholders with a default that none of a stream's first lines has a value for. A file's are known before the run, see
    /// ``BatchCheck/unfilled``.
    package var unfilled: [UnfilledPlaceholder] { found.unfilled }

    /// How many lines were read, with those that were skipped because an earlier run had sent them.
    package var linesRead: Int { gate.position.index }

    /// Whether a file can be read again from any offset: it is not a pipe or a terminal.
    package static func canBeReadAgain(_ path: String) -> Bool { InputFile.isRegular(path) }

    /// Why nothing is sent now, if the server accepts no requests; `nil` while lines are sent.
    public var pause: BatchPause? { gate.pause }

    /// Stops reading. Lines that were read still get their outcomes, then the run ends. To end these lines too, cancel
    /// the task of the run.
    public func stop(_ stop: BatchStop) {
        gate.stop(stop)
    }

    /// Sends the lines that have no outcome yet.
    ///
    /// - Parameter see: Gets the results in small batches, after they have been written to the folder.
    /// - Returns: The counts of the outcomes.
    /// - Throws: ``BatchInputError`` if the input is not the same as in the journal; an error of `see`, which also
    ///   stops the run like ``stop(_:)``.
    public func run(
        _ see: @Sendable ([BatchResult], BatchSummary) async throws -> Void = { _, _ in }
    ) async throws -> BatchSummary {
        try folder?.use(isDurable: options.isDurable)
        defer { folder?.leave() }
        let source = BatchSource(
            rows: rows, folder: folder, gate: gate, options: options,
            lint: options.lints ? lint : nil, found: found, clock: clock, refuses: { [client] in client.refuses($0) },
            key: { [client] in $0.collapseKey(client.credentials) })
        let course = OutcomeCourse(
            client: client, notifications: source, timeout: options.timeout, pausesForItsSends: true)
        let clock = options.stopsAfter.map { time in
            Task { [gate] in
                try await Task.sleep(for: time)
                gate.stop(BatchStop(.time, "The time limit was reached."))
            }
        }
        defer { clock?.cancel() }
        var ledger = BatchLedger(
            folder: folder, files: files, options: options, gate: gate, retry: client.retry,
            breaker: client.mismatchBreaker)
        var failure: (any Error)?
        do {
            try await receiveResults(from: course, into: &ledger, see)
        } catch let mismatch as PushMismatch {
            gate.stop(BatchStop(.mismatch, mismatch.description))
        } catch let refused as PushCredentialsRefused {
            gate.stop(BatchStop(.credentials, refused.description))
        } catch {
            failure = error
            gate.stop(BatchStop(.input, "\(error)"))
        }
        let (summary, reported) = ledger.close(isCancelled: Task.isCancelled, isMismatched: course.isMismatched)
        if let failure, !(failure is CancellationError) { throw failure }
        if !reported.isEmpty { try await see(reported, summary) }
        return summary
    }

    /// The clock for the times in lines: the time at which the campaign was described, and what has passed since it began to run.
    private var clock: (@Sendable () -> Int)? {
        now.map { now in
            let begun = ContinuousClock.now
            return { now + Int(begun.duration(to: .now).components.seconds) }
        }
    }

    private var lint: BatchLint {
        BatchLint(
            client.credentials, found, checksTokens: client.environment.appleService != nil,
            isFirstRun: folder.map { $0.replay.marked == 0 } ?? true, secondsSince1970: now)
    }

    private func receiveResults(
        from course: OutcomeCourse, into ledger: inout BatchLedger,
        _ see: @Sendable ([BatchResult], BatchSummary) async throws -> Void
    ) async throws {
        var messages: [OutcomeMailbox.Message] = []
        var thrown: (any Error)?
        while true {
            try await course.fetch(into: &messages)
            if messages.isEmpty { break }
            var results: [BatchResult] = []
            results.reserveCapacity(messages.count)
            while let message = messages.popLast() {
                let (notification, outcome) = message.takeParts()
                guard let row = notification.row else { continue }
                results.append(BatchResult(row, notification, outcome))
            }
            let reported = ledger.add(results, isStopping: course.isMismatched)
            guard thrown == nil, !reported.isEmpty else { continue }
            do { try await see(reported, ledger.summary) } catch {
                thrown = error
                gate.stop(BatchStop(.asked, "\(error)"))
            }
        }
        if let thrown { throw thrown }
    }
}

/// The options of a campaign run.
public struct BatchOptions: Sendable {
    /// The maximum number of lines per second, evenly distributed; `nil` for no limit.
    public var rate: Double?
    /// The timeout of each line, from when it is passed to the client; `nil` for the timeout of the client.
    public var timeout: Duration?
    /// How many lines may be marked in the journal without an outcome. After a kill, the outcome of at most this many
    /// lines is unknown.
    public var window = 10_000
    /// Whether lines that may have been sent are sent again, with the same `apns-id`.
    public var isAtLeastOnce = false
    /// Whether the journal is synced to the disk before lines are sent. Then no line is sent twice even after a power
    /// failure.
    public var isDurable = false
    /// Whether a second line with the same device token is skipped.
    public var skipsDuplicates = false
    /// Which lines are sent; `nil` for all.
    public var sample: BatchSample?
    /// Whether each line is checked with all rules, see `PayloadLint` in PushLint. A line that breaks a rule of severity error
    /// is not sent. Without it, only lines that the client refuses are not sent, see
    /// `PushConfiguration.checksNotifications`.
    public var lints = true
    /// After this many lines that were not accepted, no more lines are read. A 410 does not count: finding inactive tokens
    /// is a normal result of a campaign.
    public var maximumErrors: Int?
    /// Whether a 410 means that the device token is inactive even if the registration time is unknown
    /// (`PushOutcome.TokenStatus.unclear`). A token that was registered again in the meantime is then also listed as gone.
    public var takesGoneAtFaceValue = false
    /// How long the server may accept nothing before the campaign ends and keeps its remaining lines. Until then the
    /// campaign pauses and tries one line from time to time.
    public var outageWait: Duration = .seconds(1800)
    /// After this time, no more lines are read.
    public var stopsAfter: Duration?

    /// Creates the default options.
    public init() {}
}
