internal import NIOConcurrencyHelpers

/// The folder with the outcomes of a campaign. If a run ends early, another run continues from it.
///
/// It contains `results.jsonl` (one object per line), `gone` (device tokens to delete), `again.jsonl` (lines that were
/// not sent, ready to use as input), `unknown.jsonl` (lines whose outcome is unknown) and `journal`. Only its user may
/// read them. One process at a time uses it.
///
/// A process can be killed at any time. A line is submitted only when the journal has a mark beyond it. Outcomes are
/// written in this order: the lines of the lists, then a journal block with the resulting length of `results.jsonl`,
/// then the results. So the next run knows whether the results of the last block are complete. If not, its lines stay
/// marked without an outcome: they are unknown, and are not sent again. The partial results and list lines are cut off.
/// Results that the journal does not know mean that the journal was truncated or is an older copy. `journal.length`
/// shows the same for marks. Such a folder is refused.
///
/// Data in the kernel survives the process. To survive a power failure as well, each step waits for the disk before the
/// next one, if that is enabled.
public final class BatchFolder: Sendable {
    /// The path of the folder.
    public let path: String
    /// What earlier runs left in the journal.
    let replay: JournalReplay
    /// The id of the campaign. The ids of its notifications are made from it.
    let campaign: CampaignID

    private let files: BatchFiles
    private let state: NIOLockedValueBox<State>

    private struct State {
        var journalLength: Int
        var sizes: OutputSizes
        var isUsed = false
        /// Whether each step waits for the disk.
        var isDurable = false
        /// Whether the journal has released lines since its length was stored.
        var hasLongerJournal = false
        var namesAreSynced = false
        /// For how many lines there is space if the disk becomes full.
        var room: Result<Int, SystemError>?
        /// A reused buffer for blocks.
        var block: [UInt8] = []
    }

    /// Opens the folder of a campaign, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - facts: What identifies the campaign. A folder in which one of them differs is refused.
    ///   - startsAnew: Whether to discard an earlier campaign in the folder.
    /// - Throws: ``BatchFolderError``.
    public init(_ path: String, facts: [PushCampaignFact], startsAnew: Bool = false) throws(BatchFolderError) {
        self.path = path
        files = try BatchFiles(path)
        if startsAnew { try files.empty() }
        var replay = try files.replay()
        let head = replay.campaign.flatMap(CampaignHead.init)
        if head == nil, replay.campaign != nil { throw .damaged(path) }
        if head == nil { try files.refuseForeignFiles(replay) } else { try files.refuseOlderJournal(replay) }
        let difference = head?.difference(facts)
        // Dead tokens that were not moved away yet would be deleted too.
        let isToBeKept = try files.hasGone()
        if let difference, replay.mayHaveReachedAnyone || isToBeKept { throw .another(path, difference) }
        if let head, difference == nil {
            campaign = head.id
        } else {
            // No line of the other campaign was accepted. Probably its setup has been corrected now.
            try files.empty()
            replay = JournalReplay()
            campaign = .random()
            let block = JournalBlock.campaign(CampaignHead(id: campaign, facts: facts).json)
            replay.add(block, length: try Self.write(block, at: 0, to: files))
        }
        let sizes = try files.cut(replay)
        var length = replay.length
        // Store this now, whatever happens to the files later.
        if replay.isTorn || sizes != replay.sizes {
            length += try Self.write(.outcomes([], sizes), at: length, to: files)
        }
        self.replay = replay
        state = NIOLockedValueBox(State(journalLength: length, sizes: sizes))
    }

    /// - Returns: The number of bytes written.
    private static func write(
        _ block: JournalBlock, at offset: Int, to files: BatchFiles
    ) throws(BatchFolderError) -> Int {
        var bytes: [UInt8] = []
        block.write(to: &bytes)
        try files.begin(bytes, at: offset)
        return bytes.count
    }

    /// Whether every line of the campaign has its outcome.
    public var isFinished: Bool { replay.isFinished }

    /// The number of lines with an outcome, from all earlier runs.
    public var linesBefore: Int { replay.counts.values.reduce(0, +) }

    /// The outcomes of all earlier runs.
    public var summary: BatchSummary {
        var summary = BatchSummary()
        summary.before = linesBefore
        summary.earlier = replay.counts
        return summary
    }

    // MARK: A run

    /// Reserves disk space for the outcomes of lines in flight, in case the disk becomes full.
    ///
    /// - Parameter window: How many lines may be in flight.
    /// - Returns: How many lines may be in flight now: fewer on a small disk.
    func window(_ window: Int) -> Int {
        let room: Result<Int, SystemError>
        do throws(SystemError) {
            room = .success(try files.reserve.reserve(lines: window))
        } catch {
            room = .failure(error)
        }
        state.withLockedValue { $0.room = room }
        return min(window, max(1, (try? room.get()) ?? window))
    }

    /// Begins a run. The state of earlier runs is read when the folder is opened, so each opening allows one run.
    ///
    /// - Parameter isDurable: Whether each step waits for the disk.
    /// - Throws: ``BatchFolderError`` if there is no space for results, or a run has already used this object.
    func use(isDurable: Bool = false) throws(BatchFolderError) {
        let (wasUsed, room) = state.withLockedValue { state in
            defer { state.isUsed = true }
            state.isDurable = isDurable
            return (state.isUsed, state.room)
        }
        if wasUsed { throw .used(path) }
        if case .failure(let error)? = room { throw .noRoom(path, error) }
    }

    /// Ends the run. Another one may open the folder, even while this object still exists.
    func leave() {
        // Add one more block after the last outcomes. If their results are missing later, they were lost, not
        // unwritten.
        try? append { .outcomes([], $0.sizes) }
        files.journal.unlock()
    }

    /// Whether the folder is still where it was opened: not deleted, moved, or replaced.
    public var isInPlace: Bool { files.isInPlace }

    /// Throws when the journal or the results were truncated during the run.
    func requireWhole() throws(SystemError) {
        let (length, sizes) = state.withLockedValue { ($0.journalLength, $0.sizes) }
        guard try files.journal.size() >= length, try files.results.size() >= sizes.results else { throw .truncated }
    }

    // MARK: Writing

    /// Records that all lines before a position may be sent.
    func mark(_ position: InputPosition, digest: UInt64) throws(SystemError) {
        try letGoOut(.mark(position, digest: digest))
    }

    /// Records that lines released before may be sent.
    func intend(_ indices: [Int]) throws(SystemError) {
        if !indices.isEmpty { try letGoOut(.intent(indices)) }
    }

    /// Writes a block that allows lines to be sent. Fails if their outcomes could not be stored, or the folder no
    /// longer exists, or one of its files was truncated.
    private func letGoOut(_ block: JournalBlock) throws(SystemError) {
        guard files.isInPlace else { throw .absent }
        try requireWhole()
        let (sizes, room) = state.withLockedValue { ($0.sizes, $0.room) }
        try files.requireRoom(sizes, more: ((try? room?.get()) ?? 0) * Reserve.bytesPerLine)
        try append(block)
        let isDurable = state.withLockedValue { state in
            state.hasLongerJournal = true
            return state.isDurable
        }
        // A durable length must not be ahead of the journal on the disk.
        if !isDurable { noteLength() }
    }

    private func noteLength() {
        let length = state.withLockedValue { state -> Int? in
            defer { state.hasLongerJournal = false }
            return state.hasLongerJournal ? state.journalLength : nil
        }
        if let length { files.length.note(length) }
    }

    /// Records that marked lines were not sent.
    func release(_ indices: [Int]) throws(SystemError) {
        guard !indices.isEmpty else { return }
        let ends = indices.map { JournalBlock.Outcome(index: $0, end: .released) }
        try append { .outcomes(ends, $0.sizes) }
    }

    func end(lines: Int) throws(SystemError) {
        try append(.end(lines: lines))
    }

    /// Writes outcomes: to the lists, to the journal, then to the results. Pages that fail are cut off and do not
    /// count. A durable commit waits for the disk after each step.
    func commit(_ pages: BatchPages, isDurable: Bool = false) throws(SystemError) {
        let known = state.withLockedValue { $0.sizes }
        let sizes = try files.reopenMovedLists(pages, known)
        // The journal must first record that a list starts again at size 0: after a kill, all bytes beyond the known size are
        // cut off.
        if sizes != known {
            try append { state in
                state.sizes = sizes
                return .outcomes([], sizes)
            }
        }
        try files.writeLists(pages, sizes)
        if isDurable { try files.syncLists(pages) }
        try writeOutcomes(pages, isDurable)
        if isDurable { try files.results.sync() }
    }

    /// Writes the journal block and the results as one step. No other block is written in between, so that the block
    /// can be removed.
    private func writeOutcomes(_ pages: BatchPages, _ isDurable: Bool) throws(SystemError) {
        let failure = state.withLockedValue { state -> SystemError? in
            let (before, length) = (state.sizes, state.journalLength)
            do throws(SystemError) {
                state.sizes.add(pages)
                try write(.outcomes(pages.ends, state.sizes), &state)
                if isDurable { try files.journal.sync() }
                try files.results.write(pages.results, at: before.results)
                return nil
            } catch {
                (state.sizes, state.journalLength) = (before, length)
                // Remove the results first: they must never be ahead of the journal. If the journal can't be truncated, the next
                // block overwrites this one.
                try? files.results.truncate(to: before.results)
                try? files.journal.truncate(to: length)
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Waits until all data is on the disk.
    func sync() throws(SystemError) {
        let namesAreSynced = state.withLockedValue { state in
            defer { state.namesAreSynced = true }
            return state.namesAreSynced
        }
        if !namesAreSynced { try files.syncNames() }
        try files.results.sync()
        try files.journal.sync()
        noteLength()
    }

    /// Frees the disk space that was reserved for a full disk.
    ///
    /// - Returns: Whether there was any.
    func giveUpReserve() -> Bool { files.reserve.giveUp() }

    private func append(_ block: JournalBlock) throws(SystemError) {
        try append { _ in block }
    }

    private func append(_ make: (inout State) -> JournalBlock) throws(SystemError) {
        let failure: SystemError? = state.withLockedValue { state in
            let before = state.sizes
            do throws(SystemError) {
                try write(make(&state), &state)
                return nil
            } catch {
                state.sizes = before
                return error
            }
        }
        if let failure { throw failure }
    }

    private func write(_ block: JournalBlock, _ state: inout State) throws(SystemError) {
        state.block.removeAll(keepingCapacity: true)
        block.write(to: &state.block)
        try files.append(state.block, at: state.journalLength)
        state.journalLength += state.block.count
    }
}

extension OutputSizes {
    fileprivate mutating func add(_ pages: BatchPages) {
        results += pages.results.count
        gone += pages.gone.count
        again += pages.again.count
        unknown += pages.unknown.count
    }
}

/// The start time of a campaign. All runs use it for payloads that contain times.
extension PushCampaignFact {
    package static func begun(secondsSince1970 time: Int) -> PushCampaignFact {
        PushCampaignFact(begunName, "\(time)", "the start time")
    }

    static let begunName = "begun"
}

extension BatchFolder {
    /// Returns the start time of the campaign in a folder.
    ///
    /// - Parameter path: The folder. It need not exist.
    /// - Returns: Seconds since 1970; `nil` if no line was marked yet, or the campaign has no start time.
    package static func begun(_ path: String) -> Int? {
        let journal = "\(path)/journal"
        guard InputFile.isRegular(journal), let file = try? InputFile(journal) else { return nil }
        var replay = JournalReplay()
        // Damage is reported when the folder is opened.
        _ = replay.add(file.beginning(enoughForFirstMark))
        guard replay.marked > 0, let head = replay.campaign.flatMap(CampaignHead.init) else { return nil }
        return head.facts[PushCampaignFact.begunName].flatMap { Int($0) }
    }

    /// The number of bytes to read from the start of a journal. The first mark is within them.
    private static let enoughForFirstMark = 1 << 20
}
