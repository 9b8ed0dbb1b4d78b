internal import NIOPosix
internal import PushProvider

/// The sequence of lines that a campaign passes to the client: read, marked in the journal, and limited by window and
/// rate.
struct BatchSource: AsyncSequence, Sendable {
    typealias Element = PushNotification

    let rows: any BatchRows
    let folder: BatchFolder?
    let gate: BatchGate
    let options: BatchOptions
    /// Checks the lines with all rules; `nil` to skip this check.
    let lint: BatchLint?
    let found: BatchFindings
    /// The current time in seconds since 1970, for times in lines; `nil` to take any.
    let clock: (@Sendable () -> Int)?
    let refuses: @Sendable (PushNotification) -> Bool
    /// Which lines a line with a collapse id replaces on its device.
    let key: @Sendable (PushNotification) -> CollapseKey?

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: BatchSource
        private var rows: any BatchRows
        private var lint: BatchLint?
        /// Lines that are read and marked, in reverse order: the next line is last.
        private var chunk: [PushNotification] = []
        private var hasBegun = false
        private var isAtEnd = false
        private let begun = ContinuousClock.now
        private var pace: RatePace?
        private var seen: SeenTokens?
        /// The lines that the gate has kept since the last look at the journal. A kill must not make them unknown.
        private var kept: [Int] = []
        private var interruptedKeys = InterruptedKeys()
        /// How many lines are marked at a time.
        private let step: Int

        init(_ source: BatchSource) {
            (self.source, rows, lint) = (source, source.rows, source.lint)
            let options = source.options
            pace = options.rate.map(RatePace.init(perSecond:))
            seen = options.skipsDuplicates ? SeenTokens() : nil
            // After a kill, marked lines that wait for their turn would count as unknown. So mark only the lines of a
            // tenth of a second.
            let waiting = options.rate.map { Int(Swift.min($0 / 10, 500)) } ?? 500
            step = Swift.max(1, Swift.min(waiting, source.gate.window / 4))
        }

        private var folder: BatchFolder? { source.folder }
        private var gate: BatchGate { source.gate }
        private var options: BatchOptions { source.options }

        mutating func next() async throws -> PushNotification? {
            var hasTurn = pace == nil
            while !Task.isCancelled {
                if chunk.isEmpty, try await !fill() { return nil }
                if !hasTurn, chunk.last?.row?.skipReason == nil { await waitForTurn() }
                hasTurn = true
                guard let row = chunk.last?.row else { return nil }
                switch gate.give(row.index, isSent: row.skipReason == nil, key: row.key, { chunk.last }) {
                case .granted: return chunk.popLast()
                case .later(let time): await gate.wait(until: time)
                case .kept:
                    if !row.wasMarked { kept.append(row.index) }
                    chunk.removeLast()
                case .superseded: chunk[chunk.count - 1].row = row.superseded
                case .refused: return nil
                }
            }
            return nil
        }

        private mutating func waitForTurn() async {
            guard var pace else { return }
            var wait = pace.wait(now: begun.duration(to: .now).clampedNanoseconds)
            self.pace = pace
            // Wait in short steps, so that a stop takes effect quickly.
            while wait > 0, !gate.isStopped, !Task.isCancelled {
                let step = Swift.min(wait, 100_000_000)
                try? await Task.sleep(for: .nanoseconds(step))
                wait -= step
            }
        }

        // MARK: Reading

        /// - Returns: `false` if no more lines are to be sent.
        private mutating func fill() async throws -> Bool {
            try await begin()
            guard try await releaseKept() else { return false }
            while chunk.isEmpty {
                gate.position = rows.position
                switch await gate.next(step, isAtEnd: isAtEnd) {
                case .end: return false
                case .sendAgain(let lines): try await sendAgain(lines)
                case .read:
                    // The next mark of an earlier run.
                    if let mark = folder?.replay.mark(beyond: rows.position.index) {
                        try await fillAgain(upTo: mark)
                    } else if try await !fillAnew() {
                        // Lines may still be returned to be sent again.
                        isAtEnd = true
                    }
                }
            }
            return true
        }

        /// Records that the lines that the gate has kept were not sent. The journal records it again when they are.
        private mutating func releaseKept() async throws -> Bool {
            guard !kept.isEmpty else { return true }
            let indices = kept
            kept = []
            return try await journal { folder throws(SystemError) in try folder.release(indices) }
        }

        /// Sends lines again that the server did not accept. The journal records before that they may be sent again.
        private mutating func sendAgain(_ lines: [PushNotification]) async throws {
            let indices = lines.compactMap(\.row).filter { !$0.wasMarked && $0.skipReason == nil }.map(\.index)
            guard try await intend(indices) else { return }
            gate.markedAgain(releasable: indices)
            chunk = lines.reversed()
        }

        /// Moves to the first line without an outcome.
        private mutating func begin() async throws {
            guard !hasBegun else { return }
            hasBegun = true
            try await rows.checkBeginnings()
            if case .random(let count)? = options.sample {
                let seed = folder?.campaign.bits ?? .random(in: .min ... .max)
                try await withTaskCancellationHandler {
                    try await rows.choose(count, seed: seed, unless: isStopped())
                } onCancel: { [gate] in
                    gate.cancelReading()
                }
            }
            guard let folder, rows.canSeek, seen == nil else { return }
            try await rows.seek(folder.replay.start.position)
        }

        private func isStopped() -> @Sendable () -> Bool {
            { [gate] in gate.isStopped || gate.isReadingCancelled }
        }

        /// Reads new lines. They are marked before any of them is released.
        private mutating func fillAnew() async throws -> Bool {
            if let fault = lint?.commonFault {
                gate.stop(fault)
                return false
            }
            let maximum = Swift.min(step, (options.sample?.count ?? .max) - rows.position.index)
            let isFirst = rows.position.index == 0
            var new = maximum > 0 ? try await read(maximum) : []
            guard !gate.isStopped, !Task.isCancelled else { return false }
            guard !new.isEmpty else {
                // For a stream, the end is not certain: the process that writes it may have been killed.
                let (lines, isKnown) = (rows.position.index, rows.canSeek)
                try await journal { folder throws(SystemError) in
                    if isKnown, folder.replay.lines == nil { try folder.end(lines: lines) }
                }
                return false
            }
            if isFirst { try checkPlaceholders() }
            // An earlier run has reached the end.
            if let lines = folder?.replay.lines, rows.position.index > lines { throw Self.changed }
            let (position, digest, isDurable) = (rows.position, Self.digest(new), options.isDurable)
            let isMarked = try await journal { folder throws(SystemError) in
                // Sync the outcomes first, so that the results on the disk are never behind the journal.
                if isDurable { try folder.sync() }
                try folder.mark(position, digest: digest)
                if isDurable { try folder.sync() }
            }
            guard isMarked else { return false }
            for index in new.indices { judge(&new[index]) }
            fillChunk(consume new)
            return true
        }

        /// Refuses a stream whose first lines show that a placeholder is misspelt, because its default would be sent to everybody. A
        /// file is read for this before the run.
        private func checkPlaceholders() throws {
            guard lint != nil, !rows.canSeek else { return }
            source.found.unfilled = rows.unfilled
            guard let misspelt = source.found.unfilled.first(where: { $0.suggestion != nil }) else { return }
            throw BatchInputError(.misspeltPlaceholder, "\(misspelt.descriptionForFirstLines) Nothing was sent.")
        }

        /// Reads lines. The wait ends when the task is cancelled.
        private mutating func read(_ maximum: Int) async throws -> [PushNotification] {
            try await withTaskCancellationHandler {
                try await rows.next(maximum, unless: isStopped())
            } onCancel: { [gate] in
                gate.cancelReading()
            }
        }

        /// Reads lines that an earlier run has marked. Only those without an outcome are released.
        private mutating func fillAgain(upTo mark: JournalReplay.Mark) async throws {
            guard let folder else { return }
            var old: [PushNotification] = []
            while rows.position.index < mark.position.index {
                let more = try await read(mark.position.index - rows.position.index)
                if gate.isStopped || Task.isCancelled { return }
                guard !more.isEmpty else { throw Self.changed }
                old += more
            }
            guard mark.fits(old.compactMap { $0.row?.identity }) else { throw Self.changed }
            var intended: [Int] = []
            var open: [PushNotification] = []
            for line in old {
                guard let index = line.row?.index else { continue }
                let state = folder.replay.line(index)
                if folder.replay.mayHaveBeenSent(index), interruptedKeys.isWaiting, let key = source.key(line) {
                    interruptedKeys.started(index, key)
                }
                // An ended line is needed only if a later line may have the same token, and only if it was not refused: judged again,
                // it may look valid, because its times are not checked.
                if state == .ended, seen == nil || folder.replay.invalid.contains(index) { continue }
                var notification = line
                judge(&notification, state)
                guard let row = notification.row else { continue }
                switch state {
                case .ended: continue
                case .open where row.key != nil: interruptedKeys.wait(notification)
                case .interrupted where row.key != nil && options.isAtLeastOnce:
                    notification.row = row.with(skipReason: nil, wasMarked: true)
                    interruptedKeys.wait(notification)
                case .open:
                    intended.append(row.index)
                    open.append(notification)
                // The skip reason already says why the line is not sent.
                case .interrupted where row.skipReason != nil: open.append(notification)
                case .interrupted where options.isAtLeastOnce:
                    var again = notification
                    again.row = row.with(skipReason: row.skipReason, wasMarked: true)
                    open.append(again)
                case .interrupted: open.append(interrupted(line, row))
                }
            }
            if rows.position.index == folder.replay.marked {
                let lines = interruptedKeys.takeAll()
                intended += lines.compactMap(\.row).filter { !$0.wasMarked && $0.skipReason == nil }.map(\.index)
                open += lines
            }
            if try await intend(intended) { fillChunk(consume open) }
        }

        /// Records that lines which were released before may be sent.
        private func intend(_ indices: [Int]) async throws -> Bool {
            let isDurable = options.isDurable
            return try await journal { folder throws(SystemError) in
                try folder.intend(indices)
                if isDurable, !indices.isEmpty { try folder.sync() }
            }
        }

        private static let changed = BatchInputError(
            .changed,
            """
            The input has changed: lines that an earlier run read are now different or missing. Give the same \
            input again. A new campaign would send accepted lines a second time.
            """)

        private static func digest(_ lines: [PushNotification]) -> UInt64 {
            var digest = QuickDigest()
            // By index, because a copy of a notification counts several references.
            for index in lines.indices { lines[index].row?.addIdentity(to: &digest) }
            return digest.value
        }

        /// Adds the id of the line, checks its times, checks it with the rules, and detects a duplicate token.
        private mutating func judge(_ notification: inout PushNotification, _ state: JournalReplay.Line = .open) {
            guard let row = notification.row, row.skipReason == nil else { return }
            // A line that may have been sent was in time then.
            if state == .open, let clock = source.clock,
                let mistake = TimeChecks.mistake(in: notification, secondsSince1970: clock())
            {
                notification = .ofRow(row.with(skipReason: .invalid("\(mistake)")))
                return
            }
            if let refusal = lint?.findings(in: notification, isNew: state == .open).refusal {
                // Another version may have had other rules, so the line may still have been sent.
                notification =
                    state == .interrupted
                    ? interrupted(notification, row) : .ofRow(row.with(skipReason: .invalid(refusal)))
                return
            }
            // A line that cannot be sent does not block other lines with the same token.
            if seen != nil, !source.refuses(notification), seen?.insert(notification.deviceToken) == false {
                notification = .ofRow(row.with(skipReason: .duplicate))
                return
            }
            if notification.collapseID != nil, let key = source.key(notification) {
                notification.row = row.with(key: key)
            }
            if let folder, notification.id == nil { notification.id = folder.campaign.requestID(row.index).uuid }
        }

        /// Creates the result of an interrupted line, with the id that it had in the earlier run.
        private func interrupted(_ line: PushNotification, _ row: BatchRow) -> PushNotification {
            var interrupted = PushNotification.ofRow(row.with(skipReason: .interrupted, wasMarked: true))
            interrupted.id = line.id ?? folder?.campaign.requestID(row.index).uuid
            return interrupted
        }

        private mutating func fillChunk(_ lines: consuming [PushNotification]) {
            let rows = lines.compactMap(\.row)
            gate.marked(
                lines.count, bytes: rows.reduce(0) { $0 + $1.text.count },
                releasable: rows.lazy.filter { !$0.wasMarked }.map(\.index))
            chunk.removeAll(keepingCapacity: true)
            // Each line is moved, not copied.
            while let line = lines.popLast() { chunk.append(line) }
        }

        /// - Returns: `false` if the journal could not be written and no more lines are to be sent.
        @discardableResult
        private func journal(_ write: @escaping @Sendable (BatchFolder) throws(SystemError) -> Void) async throws
            -> Bool
        {
            guard let folder else { return true }
            do {
                // A sync can take long, so it does not run on this thread.
                if options.isDurable {
                    try await NIOThreadPool.singleton.runIfActive { try write(folder) }
                } else {
                    try write(folder)
                }
                return true
            } catch let error as SystemError {
                gate.stop(
                    BatchStop(
                        .output, "The journal in \(folder.path) can't be written: \(error). Nothing more was sent."))
                return false
            }
        }
    }
}
