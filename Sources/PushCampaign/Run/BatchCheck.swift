internal import NIOConcurrencyHelpers
public import PushPlatform
public import PushProvider

/// The result of a check of the lines of a campaign, without sending.
public struct BatchCheck: Sendable {
    /// A line that cannot be sent.
    public struct Mistake: Sendable, Hashable {
        /// The index of its file, from 0.
        public let file: Int
        /// The line number in the file, from 1.
        public let line: Int
        /// What is wrong with the line, as a sentence.
        public let message: String
        /// The number of later lines with a problem of the same kind that are not listed.
        public internal(set) var similar = 0

        package init(file: Int, line: Int, message: String) {
            self.file = file
            self.line = line
            self.message = message
        }

        /// The sentence without its quoted values and its numbers: equal for mistakes of the same kind.
        fileprivate static func kind(_ message: String) -> String {
            var kind = ""
            var isQuoted = false
            for character in message {
                if character == "\"" { isQuoted.toggle() }
                if !isQuoted && !character.isNumber { kind.append(character) }
            }
            return kind
        }
    }

    /// The listed mistakes of one kind.
    private struct Kind {
        var count = 0
        /// The index of the last one in ``BatchCheck/mistakes``.
        var last = 0
    }

    /// The number of lines; empty ones do not count.
    public internal(set) var lines = 0
    /// The number of lines that cannot be sent.
    public internal(set) var invalid = 0
    /// The first mistakes: at most three of one kind, and at most twenty together.
    public internal(set) var mistakes: [Mistake] = []
    /// The number of lines that cannot be sent and are neither listed in ``mistakes`` nor similar to a listed one.
    public var unlisted: Int { mistakes.reduce(invalid) { $0 - 1 - $1.similar } }
    /// The number of lines that have the device token of an earlier line. They are sent unless duplicates are skipped.
    public internal(set) var duplicates = 0
    /// The number of lines that have their device token, topic, push type and collapse id in common with another line: the
    /// last of them replaces the others on the device.
    public internal(set) var replacing = 0
    /// The first line that can be sent, as a notification.
    public internal(set) var sample: PushNotification?
    /// The size of the largest payload, in bytes.
    public internal(set) var largestPayload = 0
    /// The placeholders with a default that no line has a value for.
    package var unfilled: [UnfilledPlaceholder] = []
    /// The findings of the lint: for each rule, the finding in the first line that breaks it.
    public var findings: [BatchFinding] { found.all }

    private let found = BatchFindings()
    /// Checks the lines with all rules; `nil` to check only what a client refuses.
    private var lint: BatchLint?

    init(
        lints: Bool, comparesLines: Bool = true, with credentials: PushCredentials?,
        to environment: PushEnvironment? = nil, secondsSince1970 now: Int
    ) {
        self.comparesLines = comparesLines
        let checksTokens = environment?.appleService != nil
        self.credentials = credentials
        self.now = now
        lint = lints ? BatchLint(credentials, found, checksTokens: checksTokens, secondsSince1970: now) : nil
    }

    private var kinds: [String: Kind] = [:]
    /// Whether to count ``duplicates`` and ``replacing``.
    private let comparesLines: Bool
    private var seen = SeenTokens()
    /// The number of lines of each collapse key. The hash of a key is enough for a count.
    private var keys: [Int: Int] = [:]
    private let credentials: PushCredentials?
    /// The current time, in seconds since 1970.
    private let now: Int

    /// The maximum number of ``mistakes``. Further kinds of mistakes are only counted.
    static let maximumMistakes = 20
    /// The maximum number of ``mistakes`` of one kind. Further ones are counted in ``Mistake/similar``.
    static let maximumOfOneKind = 3

    mutating func add(_ notification: PushNotification) {
        guard let row = notification.row else { return }
        lines += 1
        if case .invalid(let message)? = row.skipReason { return add(message, row) }
        if let mistake = TimeChecks.mistake(in: notification, secondsSince1970: now) { return add("\(mistake)", row) }
        let findings =
            lint?.findings(in: notification)
            ?? Refusals.findings(notification, notification.inferred, certificate: nil, checks: false)
        if let refusal = findings.refusal { return add(refusal, row) }
        largestPayload = max(largestPayload, notification.payload.bytes.count)
        if sample == nil { sample = notification }
        guard comparesLines else { return }
        if !seen.insert(notification.deviceToken) { duplicates += 1 }
        guard notification.collapseID != nil, let key = notification.collapseKey(credentials) else { return }
        let before = keys[key.hashValue, default: 0]
        keys[key.hashValue] = before + 1
        // The second line shows that the first one has another, too.
        if before > 0 { replacing += before == 1 ? 2 : 1 }
    }

    private mutating func add(_ message: String, _ row: BatchRow) {
        invalid += 1
        let name = Mistake.kind(message)
        var kind = kinds[name] ?? Kind()
        if kind.count >= Self.maximumOfOneKind || mistakes.count >= Self.maximumMistakes {
            if kind.count > 0 { mistakes[kind.last].similar += 1 }
            return
        }
        kind.count += 1
        kind.last = mistakes.count
        kinds[name] = kind
        mistakes.append(Mistake(file: row.file, line: row.line, message: message))
    }
}

extension PushBatch {
    /// Reads the lines of files like a campaign, but sends nothing.
    ///
    /// - Parameters:
    ///   - files: The paths of the files; `-` is standard input.
    ///   - format: The format of the lines; `nil` to detect it.
    ///   - defaults: Values for every line.
    ///   - sample: Which lines to check; `nil` for all.
    ///   - lints: Whether to check the lines with all rules.
    ///   - comparesLines: Whether to count ``BatchCheck/duplicates`` and ``BatchCheck/replacing``. This needs about 80 bytes of memory for
    ///     each device token, and 40 for each collapse id; without it, the memory is constant.
    ///   - credentials: The credentials for sending them.
    ///   - environment: The environment to send them to; `nil` if unknown.
    ///   - now: The current time, for rules about times.
    /// - Returns: The result of the check.
    /// - Throws: ``BatchInputError``, and `CancellationError` when its task is cancelled.
    public static func check(
        files: [String], format: BatchFormat? = nil, _ defaults: BatchDefaults, sample: BatchSample? = nil,
        lints: Bool = true, comparesLines: Bool = true, with credentials: PushCredentials? = nil,
        to environment: PushEnvironment? = nil, now: Date = Date()
    ) async throws -> BatchCheck {
        var rows = FileRows(files, format: format, RowReader(defaults))
        var check = BatchCheck(
            lints: lints, comparesLines: comparesLines, with: credentials, to: environment,
            secondsSince1970: Int(clamping: now.timeIntervalSince1970))
        // Read on the thread that waits for more input, which belongs to no task.
        let isCancelled = NIOLockedValueBox(false)
        return try await withTaskCancellationHandler {
            if case .random(let count)? = sample {
                try await rows.choose(
                    count, seed: .random(in: .min ... .max), unless: { isCancelled.withLockedValue { $0 } })
            }
            while true {
                let maximum = min(1000, (sample?.count ?? .max) - check.lines)
                let lines =
                    maximum > 0 ? try await rows.next(maximum, unless: { isCancelled.withLockedValue { $0 } }) : []
                try Task.checkCancellation()
                if lines.isEmpty {
                    if check.lines > 0 { check.unfilled = rows.unfilled }
                    return check
                }
                for line in lines { check.add(line) }
            }
        } onCancel: {
            isCancelled.withLockedValue { $0 = true }
        }
    }

    /// Checks that all files exist, and that none is a folder.
    ///
    /// - Parameter files: The paths of the files; `-` is standard input.
    /// - Throws: ``BatchInputError`` for the first file that fails this check.
    package static func requireFiles(_ files: [String]) throws(BatchInputError) {
        for path in files {
            do throws(BatchInputError) { try InputFile.require(path) } catch { throw error.inFile(path) }
        }
    }

    /// Returns facts that identify the input of a campaign: for each file, its size and a digest of its beginning.
    ///
    /// - Parameter files: The paths of the files; `-` is standard input.
    /// - Returns: The facts, in the order of the files.
    /// - Throws: ``BatchInputError`` if a file does not exist.
    public static func facts(ofFiles files: [String]) throws(BatchInputError) -> [PushCampaignFact] {
        try requireFiles(files)
        var facts = [PushCampaignFact("inputs", "\(files.count)", "the number of inputs")]
        for (number, path) in files.enumerated() {
            // A stream is read from its beginning. Its lines identify it.
            let identity = InputFile.identity(of: path)
            let value = identity.map { "\($0.size) bytes, \(String($0.head, radix: 16))" } ?? "a stream"
            let name = path == "-" ? "standard input" : "the input \(PeerText.printable(path))"
            facts.append(PushCampaignFact("input \(number + 1)", value, name))
        }
        return facts
    }
}
