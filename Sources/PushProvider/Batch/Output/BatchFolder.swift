internal import NIOConcurrencyHelpers

/// Where a campaign keeps what became of its lines, so that a run that was ended can be followed by another that goes on.
///
/// It holds `results.jsonl` (one object for each line), `gone` (device tokens to be deleted), `again.jsonl` (lines that were not sent,
/// ready to be fed in), `unknown.jsonl` (lines of which nobody knows) and `journal`. Only its user may read them. One process
/// works on it at a time.
///
/// Why a process can be killed at any instant: a line is submitted only when a mark beyond it is in the journal, and its outcome is
/// written first to the files of results and then to the journal, together with how long those files are now. So whatever was
/// written last, the journal claims nothing that the files do not hold. The next run cuts a torn block off the journal, and the files
/// back to the sizes in the last whole one: what is cut off are outcomes that the journal does not know, of lines that are marked;
/// they are unknown, and are not sent again. What the kernel has taken survives the process. To survive a power cut, the files and
/// then the journal are synced before a mark is relied upon, where that is asked for.
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
        if head == nil, replay.campaign != nil { throw files.damaged }
        if head == nil { try files.refuseStrangers() }
        let difference = head?.difference(facts)
        if let difference, replay.marked > 0 { throw Self.another(path, difference) }
        if let head, difference == nil {
            campaign = head.id
        } else {
            // Of another one nothing had come to be sent: what kept it from beginning is corrected now.
            try files.empty()
            replay = JournalReplay()
            campaign = .random()
            let block = JournalBlock.campaign(CampaignHead(id: campaign, facts: facts).json)
            var bytes: [UInt8] = []
            block.write(to: &bytes)
            try files.begin(bytes)
            replay.add(block, length: bytes.count)
        }
        try files.cut(to: replay.sizes, journal: replay.length)
        self.replay = replay
        state = NIOLockedValueBox(State(journalLength: replay.length, sizes: replay.sizes))
    }

    private static func another(_ path: String, _ fact: CampaignFact) -> BatchFolderError {
        BatchFolderError(
            code: .another,
            description: """
                The folder \(path) belongs to another campaign: \(fact.words) is not the same. Name another folder with --out, or \
                begin this one anew with --restart.
                """)
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

    /// A run begins. What is known of earlier ones was read when the folder was opened, so there is one run for each opening.
    func use() throws(BatchFolderError) {
        let wasUsed = state.withLockedValue { state in
            defer { state.isUsed = true }
            return state.isUsed
        }
        if wasUsed {
            throw BatchFolderError(
                code: .busy,
                description: "A run has used this \(Self.self) of \(path) already: open the folder anew for another.")
        }
    }

    /// The run is over: another one may open the folder, whoever still holds this.
    func leave() {
        files.leave()
    }

    // MARK: Writing

    /// Says that all lines before a place may go out.
    func mark(_ position: InputPosition, digest: UInt64) throws(SystemError) {
        try append(.mark(position, digest: digest))
    }

    /// Says that lines which had been released may go out.
    func intend(_ places: [Int]) throws(SystemError) {
        if !places.isEmpty { try append(.intent(places)) }
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

    /// Writes outcomes: to the files of results, then to the journal. What was written of pages that fail is overwritten by the next. A
    /// durable one waits for the disk between the two.
    func commit(_ pages: BatchPages, isDurable: Bool = false) throws(SystemError) {
        var sizes = state.withLockedValue { $0.sizes }
        try files.write(pages, at: &sizes)
        if isDurable { try files.syncResults() }
        let written = sizes
        try append { state in
            state.sizes = written
            return .outcomes(pages.ends, written)
        }
    }

    /// Waits until the disk has everything.
    func sync() throws(SystemError) {
        try files.sync()
    }

    /// Gives up what was kept free for the time when the disk is full.
    ///
    /// - Returns: Whether there was any.
    func giveUpReserve() -> Bool { files.giveUpReserve() }

    private func append(_ block: JournalBlock) throws(SystemError) {
        try append { _ in block }
    }

    private func append(_ make: (inout State) -> JournalBlock) throws(SystemError) {
        let failure: SystemError? = state.withLockedValue { state in
            let before = state.sizes
            state.block.removeAll(keepingCapacity: true)
            make(&state).write(to: &state.block)
            do throws(SystemError) {
                try files.append(state.block, at: state.journalLength)
                state.journalLength += state.block.count
                return nil
            } catch {
                state.sizes = before
                return error
            }
        }
        if let failure { throw failure }
    }
}
