internal import NIOConcurrencyHelpers

/// Where a campaign keeps what became of its lines, so that a run that was ended can be followed by another that goes on.
///
/// It holds `results.jsonl` (one object for each line), `gone` (device tokens to be deleted), `again.jsonl` (lines that were not sent,
/// ready to be fed in), `unknown.jsonl` (lines of which nobody knows) and `journal`. Only its user may read them. One process
/// works on it at a time.
///
/// A process can be killed at any instant. A line is submitted only when the journal has a mark beyond it. Outcomes are written in this
/// order: lines of the lists, then a block of the journal that says how long `results.jsonl` becomes by them, then the results. So the
/// next run knows of the last block whether its results are complete. If not, its lines stay marked without an outcome: they are
/// unknown, and are not sent again; what was written of the results and the lists is cut off. Results that the journal does not know
/// can only mean that the journal was cut or is an older copy, and `journal.length` shows the same for marks: such a folder is refused.
///
/// What the kernel has taken survives the process. To survive a power cut, each step waits for the disk before the next one, where
/// that is asked for.
public final class BatchFolder: Sendable {
    /// Where it is.
    public let path: String
    /// What earlier runs have left.
    let replay: JournalReplay
    /// By it the ids of the campaign's notifications are made.
    let campaign: CampaignID

    private let files: BatchFiles
    private let state: NIOLockedValueBox<State>

    private struct State {
        var journalLength: Int
        var sizes: OutputSizes
        /// A run has begun.
        var isUsed = false
        /// Each step waits for the disk.
        var isDurable = false
        /// The journal has let lines go out since its length was noted.
        var hasLongerJournal = false
        /// The names of the files are on the disk.
        var namesAreSynced = false
        /// How many lines there is room for when the disk is full.
        var room: Result<Int, SystemError>?
        /// Memory for blocks.
        var block: [UInt8] = []
    }

    /// Opens the folder of a campaign, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - facts: What makes the campaign this one: a folder in which one of them is another is refused.
    ///   - startsAnew: Whatever it holds of a campaign is thrown away.
    /// - Throws: ``BatchFolderError``.
    public init(_ path: String, facts: [CampaignFact], startsAnew: Bool = false) throws(BatchFolderError) {
        self.path = path
        files = try BatchFiles(path)
        if startsAnew { try files.empty() }
        var replay = try files.replay()
        let head = replay.campaign.flatMap(CampaignHead.init)
        if head == nil, replay.campaign != nil { throw .damaged(path) }
        if head == nil { try files.refuseStrangers(replay) } else { try files.refuseOlderJournal(replay) }
        let difference = head?.difference(facts)
        // Dead tokens that nobody has taken yet would be thrown away with it.
        let isToBeKept = try files.hasGone()
        if let difference, replay.mayHaveReachedAnyone || isToBeKept { throw .another(path, difference) }
        if let head, difference == nil {
            campaign = head.id
        } else {
            // No line of the other campaign was accepted: what kept it from being sent is corrected now.
            try files.empty()
            replay = JournalReplay()
            campaign = .random()
            let block = JournalBlock.campaign(CampaignHead(id: campaign, facts: facts).json)
            replay.add(block, length: try Self.write(block, at: 0, to: files))
        }
        let sizes = try files.cut(replay)
        var length = replay.length
        // What was found out now holds from here on, whatever the files become.
        if replay.isTorn || sizes != replay.sizes {
            length += try Self.write(.outcomes([], sizes), at: length, to: files)
        }
        self.replay = replay
        state = NIOLockedValueBox(State(journalLength: length, sizes: sizes))
    }

    /// - Returns: How many bytes it has.
    private static func write(
        _ block: JournalBlock, at offset: Int, to files: BatchFiles
    ) throws(BatchFolderError) -> Int {
        var bytes: [UInt8] = []
        block.write(to: &bytes)
        try files.begin(bytes, at: offset)
        return bytes.count
    }

    /// Every line of the campaign has its outcome.
    public var isFinished: Bool { replay.isFinished }

    /// How many lines had their outcomes, in all runs before.
    public var linesBefore: Int { replay.counts.values.reduce(0, +) }

    /// What became of lines in all runs before.
    public var summary: BatchSummary {
        var summary = BatchSummary()
        summary.before = linesBefore
        summary.earlier = replay.counts
        return summary
    }

    // MARK: A run

    /// Keeps room on the disk for the outcomes of what is in flight when the disk becomes full.
    ///
    /// - Parameter window: How many lines may be in flight.
    /// - Returns: How many may be in flight now: fewer on a small disk.
    func window(_ window: Int) -> Int {
        let room: Result<Int, SystemError>
        do throws(SystemError) {
            room = .success(try files.reserve.take(lines: window))
        } catch {
            room = .failure(error)
        }
        state.withLockedValue { $0.room = room }
        return min(window, max(1, (try? room.get()) ?? window))
    }

    /// A run begins. What is known of earlier ones was read when the folder was opened, so there is one run for each opening.
    ///
    /// - Parameter isDurable: Whether each step waits for the disk.
    /// - Throws: ``BatchFolderError`` when there is no room for results, or a run has used it.
    func use(isDurable: Bool = false) throws(BatchFolderError) {
        let (wasUsed, room) = state.withLockedValue { state in
            defer { state.isUsed = true }
            state.isDurable = isDurable
            return (state.isUsed, state.room)
        }
        if wasUsed { throw .used(path) }
        if case .failure(let error)? = room { throw .noRoom(path, error) }
    }

    /// The run is over: another one may open the folder, whoever still holds this.
    func leave() {
        // Another block behind the last outcomes: should their results be missing one day, they were lost, and not never written.
        try? append { .outcomes([], $0.sizes) }
        files.leave()
    }

    /// Whether it is still where it was opened: not deleted, not moved, and nothing else in its place.
    public var isInPlace: Bool { files.isInPlace }

    // MARK: Writing

    /// Says that all lines before a place may go out.
    func mark(_ position: InputPosition, digest: UInt64) throws(SystemError) {
        try letGoOut(.mark(position, digest: digest))
    }

    /// Says that lines which had been released may go out.
    func intend(_ places: [Int]) throws(SystemError) {
        if !places.isEmpty { try letGoOut(.intent(places)) }
    }

    /// Nothing goes out whose outcome would find no room, or would be written to a folder that is not there any more.
    private func letGoOut(_ block: JournalBlock) throws(SystemError) {
        guard files.isInPlace else { throw .absent }
        let (sizes, room) = state.withLockedValue { ($0.sizes, $0.room) }
        try files.requireRoom(sizes, more: ((try? room?.get()) ?? 0) * Reserve.bytesPerLine)
        try append(block)
        let isDurable = state.withLockedValue { state in
            state.hasLongerJournal = true
            return state.isDurable
        }
        // A durable one must not be ahead of the journal on the disk.
        if !isDurable { noteLength() }
    }

    private func noteLength() {
        let length = state.withLockedValue { state -> Int? in
            defer { state.hasLongerJournal = false }
            return state.hasLongerJournal ? state.journalLength : nil
        }
        if let length { files.noteLength(length) }
    }

    /// Says that lines which were marked have not gone out after all.
    func release(_ places: [Int]) throws(SystemError) {
        guard !places.isEmpty else { return }
        let ends = places.map { JournalBlock.Outcome(place: $0, end: .released) }
        try append { .outcomes(ends, $0.sizes) }
    }

    /// Says that the input is at its end.
    func end(lines: Int) throws(SystemError) {
        try append(.end(lines: lines))
    }

    /// Writes outcomes: to the lists, to the journal, then to the results. What was written of pages that fail is cut off, and does not
    /// count. A durable one waits for the disk after each step.
    func commit(_ pages: BatchPages, isDurable: Bool = false) throws(SystemError) {
        let known = state.withLockedValue { $0.sizes }
        let sizes = try files.look(pages, known)
        // First the journal has to know that a list begins anew: whatever is behind the size that it knows is cut off after a kill.
        if sizes != known {
            try append { state in
                state.sizes = sizes
                return .outcomes([], sizes)
            }
        }
        try files.writeLists(pages, sizes)
        if isDurable { try files.syncLists(pages) }
        try writeOutcomes(pages, isDurable)
        if isDurable { try files.syncResults() }
    }

    /// The block of the journal and the results as one step: no other block comes between, so that the first can be taken back.
    private func writeOutcomes(_ pages: BatchPages, _ isDurable: Bool) throws(SystemError) {
        let failure = state.withLockedValue { state -> SystemError? in
            let (before, length) = (state.sizes, state.journalLength)
            do throws(SystemError) {
                state.sizes.add(pages)
                try write(.outcomes(pages.ends, state.sizes), &state)
                if isDurable { try files.syncJournal() }
                try files.writeResults(pages, at: before.results)
                return nil
            } catch {
                (state.sizes, state.journalLength) = (before, length)
                // The results first: they never say more than the journal.
                files.cutResults(to: before.results)
                files.cutJournal(to: length)
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Waits until the disk has everything.
    func sync() throws(SystemError) {
        let namesAreSynced = state.withLockedValue { state in
            defer { state.namesAreSynced = true }
            return state.namesAreSynced
        }
        if !namesAreSynced { try files.syncNames() }
        try files.syncResults()
        try files.syncJournal()
        noteLength()
    }

    /// Gives up what was kept free for the time when the disk is full.
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
