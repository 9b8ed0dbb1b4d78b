internal import NIOPosix
internal import PushProvider

extension BatchLint.CommonFault {
    fileprivate var stop: BatchStop {
        let lines = "Each of the first \(lines) lines was refused by the rule \(finding.rule)"
        return BatchStop(
            .lint,
            "\(lines), so it is the campaign that breaks it: \(finding.problem) \(finding.advice) Nothing more was sent."
        )
    }
}

/// The lines of a campaign on their way to the client: read, marked in the journal, held back by window and rate.
struct BatchSource: AsyncSequence, Sendable {
    typealias Element = PushNotification

    let rows: any BatchRows
    let folder: BatchFolder?
    let gate: BatchGate
    let options: BatchOptions
    /// `nil` where no rules are asked for.
    let lint: BatchLint?
    /// Whether the client refuses a notification before it is sent.
    let refuses: @Sendable (PushNotification) -> Bool

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private var rows: any BatchRows
        private let folder: BatchFolder?
        private let gate: BatchGate
        private let options: BatchOptions

        /// Read and marked, the next one last.
        private var chunk: [PushNotification] = []
        private var hasBegun = false
        /// The input has no more lines.
        private var isAtEnd = false
        private let begun = ContinuousClock.now
        private var pace: RatePace?
        private var seen: SeenTokens?
        private var lint: BatchLint?
        private let refuses: @Sendable (PushNotification) -> Bool
        /// So many lines are marked at a time.
        private let step: Int

        init(_ source: BatchSource) {
            rows = source.rows
            folder = source.folder
            gate = source.gate
            options = source.options
            pace = options.rate.map(RatePace.init(perSecond:))
            seen = options.skipsDuplicates ? SeenTokens() : nil
            lint = source.lint
            refuses = source.refuses
            // What is marked and waits for its turn would be unknown after a kill: a tenth of a second of it is enough.
            let waiting = options.rate.map { Int(Swift.min($0 / 10, 500)) } ?? 500
            step = Swift.max(1, Swift.min(waiting, gate.window / 4))
        }

        mutating func next() async throws -> PushNotification? {
            if chunk.isEmpty, try await !fill() { return nil }
            if pace != nil, chunk.last?.row?.verdict == nil { await waitForTurn() }
            guard let row = chunk.last?.row else { return nil }
            while !Task.isCancelled {
                switch gate.give(row.place, isSent: row.verdict == nil) {
                case .granted: return chunk.popLast()
                case .later(let time): await gate.wait(until: time)
                case .refused: return nil
                }
            }
            return nil
        }

        private mutating func waitForTurn() async {
            guard var pace else { return }
            var wait = pace.wait(now: begun.duration(to: .now).clampedNanoseconds)
            self.pace = pace
            // In short steps: a stop must not wait for it.
            while wait > 0, !gate.isStopped, !Task.isCancelled {
                let step = Swift.min(wait, 100_000_000)
                try? await Task.sleep(for: .nanoseconds(step))
                wait -= step
            }
        }

        // MARK: Reading

        /// - Returns: `false` when no more are to be sent.
        private mutating func fill() async throws -> Bool {
            try await begin()
            while chunk.isEmpty {
                gate.position = rows.position
                switch await gate.next(step, isAtEnd: isAtEnd) {
                case .end: return false
                case .sendAgain(let lines): try await sendAgain(lines)
                case .read:
                    if let mark = nextOldMark {
                        try await fillAgain(upTo: mark)
                    } else if try await !fillAnew() {
                        // Lines may still come back.
                        isAtEnd = true
                    }
                }
            }
            return true
        }

        /// Lines that the server did not take: the journal says that they may go out again.
        private mutating func sendAgain(_ lines: [PushNotification]) async throws {
            let places = lines.compactMap(\.row).filter { !$0.wasMarked }.map(\.place)
            let isDurable = options.isDurable
            let isIntended = try await journal { folder throws(SystemError) in
                try folder.intend(places)
                if isDurable, !places.isEmpty { try folder.sync() }
            }
            guard isIntended else { return }
            gate.markedAgain(releasable: places)
            chunk = lines.reversed()
        }

        /// Goes to where lines without an outcome begin.
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

        /// The mark of an earlier run that comes next.
        private var nextOldMark: JournalReplay.Mark? {
            guard let marks = folder?.replay.marks, let last = marks.last else { return nil }
            let place = rows.position.place
            guard place < last.position.place else { return nil }
            var (low, high) = (0, marks.count)
            while low < high {
                let middle = (low + high) / 2
                if marks[middle].position.place <= place { low = middle + 1 } else { high = middle }
            }
            return low < marks.count ? marks[low] : nil
        }

        private func isStopped() -> @Sendable () -> Bool {
            { [gate] in gate.isStopped || gate.isReadingCancelled }
        }

        /// New lines: they are marked before any of them goes on.
        private mutating func fillAnew() async throws -> Bool {
            if let fault = lint?.commonFault {
                gate.stop(fault.stop)
                return false
            }
            let most = Swift.min(step, (options.sample?.count ?? .max) - rows.position.place)
            let new = most > 0 ? try await read(most) : []
            guard !gate.isStopped, !Task.isCancelled else { return false }
            guard !new.isEmpty else {
                // Of a stream nobody knows whether more would have come: whoever wrote it may have been ended.
                let (lines, isKnown) = (rows.position.place, rows.canSeek)
                try await journal { folder throws(SystemError) in
                    if isKnown, folder.replay.lines == nil { try folder.end(lines: lines) }
                }
                return false
            }
            // An earlier run has seen the end.
            if let lines = folder?.replay.lines, rows.position.place > lines { throw Self.changed }
            let (position, digest, isDurable) = (rows.position, Self.digest(new), options.isDurable)
            let isMarked = try await journal { folder throws(SystemError) in
                // The outcomes first: what is on the disk of the journal is on that of the results.
                if isDurable { try folder.sync() }
                try folder.mark(position, digest: digest)
                if isDurable { try folder.sync() }
            }
            guard isMarked else { return false }
            take(new.map { judged($0) })
            return true
        }

        /// Waits for lines no longer than its task is to go on.
        private mutating func read(_ most: Int) async throws -> [PushNotification] {
            try await withTaskCancellationHandler {
                try await rows.next(most, unless: isStopped())
            } onCancel: { [gate] in
                gate.cancelReading()
            }
        }

        /// Lines that an earlier run has marked: only those go on that have no outcome.
        private mutating func fillAgain(upTo mark: JournalReplay.Mark) async throws {
            guard let folder else { return }
            var old: [PushNotification] = []
            while rows.position.place < mark.position.place {
                let more = try await read(mark.position.place - rows.position.place)
                if gate.isStopped || Task.isCancelled { return }
                guard !more.isEmpty else { throw Self.changed }
                old += more
            }
            guard mark.fits(old.compactMap { $0.row?.identity }) else { throw Self.changed }
            var intended: [Int] = []
            var open: [PushNotification] = []
            for line in old {
                guard let place = line.row?.place else { continue }
                let state = folder.replay.line(place)
                // Only where a line after it may have the same token.
                if state == .ended, seen == nil { continue }
                let notification = judged(line, state)
                guard let row = notification.row else { continue }
                switch state {
                case .ended: continue
                case .open:
                    intended.append(row.place)
                    open.append(notification)
                // It says itself why it does not go out.
                case .interrupted where row.verdict != nil: open.append(notification)
                case .interrupted where options.isAtLeastOnce:
                    var again = notification
                    again.row = row.judged(row.verdict, wasMarked: true)
                    open.append(again)
                case .interrupted: open.append(interrupted(line, row))
                }
            }
            let (places, isDurable) = (intended, options.isDurable)
            let isIntended = try await journal { folder throws(SystemError) in
                try folder.intend(places)
                if isDurable, !places.isEmpty { try folder.sync() }
            }
            if isIntended { take(open) }
        }

        private static let changed = BatchInputError(
            code: .changed,
            description: """
                The input has changed: lines that were read from it before are different now, or gone. Give the same input again. \
                To begin anew would send again what was accepted before.
                """)

        private static func digest(_ lines: [PushNotification]) -> UInt64 {
            var digest = QuickDigest()
            for line in lines { line.row?.addIdentity(to: &digest) }
            return digest.value
        }

        /// With the id of its line, held against the rules, and told apart from lines with the same token.
        private mutating func judged(
            _ notification: PushNotification, _ state: JournalReplay.Line = .open
        ) -> PushNotification {
            guard let row = notification.row, row.verdict == nil else { return notification }
            if let refusal = lint?.findings(in: notification, isNew: state == .open).refusal {
                // Should another version have had other rules, it may have gone out all the same.
                return state == .interrupted ? interrupted(notification, row) : .ofRow(row.judged(.invalid(refusal)))
            }
            // One that cannot be sent keeps none of its twins from going out.
            if seen != nil, !refuses(notification), seen?.insert(notification.deviceToken) == false {
                return .ofRow(row.judged(.duplicate))
            }
            var numbered = notification
            if let folder, numbered.id == nil { numbered.id = folder.campaign.requestID(row.place).uuid }
            return numbered
        }

        /// With the id that the line had in the run that was ended.
        private func interrupted(_ line: PushNotification, _ row: BatchRow) -> PushNotification {
            var interrupted = PushNotification.ofRow(row.judged(.interrupted, wasMarked: true))
            interrupted.id = line.id ?? folder?.campaign.requestID(row.place).uuid
            return interrupted
        }

        private mutating func take(_ lines: [PushNotification]) {
            let rows = lines.compactMap(\.row)
            gate.marked(
                lines.count, bytes: rows.reduce(0) { $0 + $1.text.count },
                releasable: rows.lazy.filter { !$0.wasMarked }.map(\.place))
            chunk = lines.reversed()
        }

        /// - Returns: `false` when it could not be written, and no more is to be sent.
        @discardableResult
        private func journal(_ write: @escaping @Sendable (BatchFolder) throws(SystemError) -> Void) async throws
            -> Bool
        {
            guard let folder else { return true }
            do {
                // Waiting for a disk takes its time.
                if options.isDurable {
                    try await NIOThreadPool.singleton.runIfActive { try write(folder) }
                } else {
                    try write(folder)
                }
                return true
            } catch let error as SystemError {
                gate.stop(
                    BatchStop(
                        .output, "The journal in \(folder.path) cannot be written: \(error). Nothing more was sent."))
                return false
            }
        }
    }
}
