internal import PushPlatform

/// The files in the folder of a campaign.
struct BatchFiles: Sendable {
    let folder: String
    private let journal: OutputFile
    private let length: JournalLength
    private let results: OutputFile
    private let gone: ListFile
    private let again: ListFile
    private let unknown: ListFile
    let reserve: Reserve

    /// Opens the files, creates missing ones, and locks the folder against other processes.
    init(_ folder: String) throws(BatchFolderError) {
        self.folder = folder
        do throws(SystemError) {
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .last }
            journal = try OutputFile("\(folder)/journal")
            guard journal.lock() else { throw SystemError(number: EWOULDBLOCK) }
            length = try JournalLength("\(folder)/journal.length")
            results = try OutputFile("\(folder)/results.jsonl")
            gone = try ListFile("\(folder)/gone")
            again = try ListFile("\(folder)/again.jsonl")
            unknown = try ListFile("\(folder)/unknown.jsonl")
            reserve = try Reserve("\(folder)/reserve")
        } catch {
            throw error.number == EWOULDBLOCK ? .busy(folder) : .unusable(folder, error)
        }
    }

    /// Unlocks the folder for other processes.
    func leave() {
        journal.unlock()
    }

    private var lists: [ListFile] { [gone, again, unknown] }

    private func trying<Result>(_ body: () throws(SystemError) -> Result) throws(BatchFolderError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .unusable(folder, error)
        }
    }

    // MARK: Before a run

    func empty() throws(BatchFolderError) {
        try trying { () throws(SystemError) in
            try length.clear()
            for file in [journal, results] { try file.truncate(to: 0) }
            for list in lists { try list.truncate(to: 0) }
        }
    }

    /// Reads the journal in pieces, because it may be large.
    func replay() throws(BatchFolderError) -> JournalReplay {
        let piece = 1 << 20
        var replay = JournalReplay()
        var wanted = piece
        while true {
            let bytes = try trying { () throws(SystemError) in
                try journal.contents(from: replay.length, atMost: wanted)
            }
            let before = replay.length
            guard replay.add(bytes), bytes.count == wanted else { break }
            // A block may be longer than a piece.
            wanted = replay.length > before ? piece : wanted * 2
        }
        let rest = try trying { () throws(SystemError) in try journal.contents(from: replay.length) }
        guard !replay.isImpossible, !JournalReplay.hasBlock(rest[...]), replay.length == 0 || replay.campaign != nil
        else {
            throw .damaged(folder)
        }
        let size = try trying { () throws(SystemError) in try results.size() }
        replay.settle(results: size)
        return replay
    }

    /// Whether `gone` has device tokens that were not moved away yet.
    func hasGone() throws(BatchFolderError) -> Bool {
        try trying { () throws(SystemError) in try gone.size() > 0 }
    }

    /// Refuses result files without a journal. The journal of their campaign was lost, or they do not belong to a
    /// campaign.
    func refuseForeignFiles(_ replay: JournalReplay) throws(BatchFolderError) {
        if replay.length == 0, try holdsForeignJournal() { throw .foreign(journal.path) }
        let files = try trying { () throws(SystemError) in
            let lists = try lists.map { list throws(SystemError) in (list.path, try list.size()) }
            return [(results.path, try results.size()), (length.path, length.bytes ?? 0)] + lists
        }
        for (path, size) in files where size > 0 {
            // Opening has created an empty journal. It would hide that the real one is missing.
            if try trying({ () throws(SystemError) in try journal.size() }) == 0 { unlink(journal.path) }
            throw .withoutJournal(path)
        }
    }

    /// Whether the journal was not written by a campaign: its first bytes cannot begin a block, not even one that was
    /// cut off.
    private func holdsForeignJournal() throws(BatchFolderError) -> Bool {
        let beginning = try trying { () throws(SystemError) in try journal.contents(from: 0, atMost: 8) }
        return !beginning.isEmpty && !JournalBlock.mayBegin(beginning)
    }

    /// Refuses an older journal, because with it the last lines would be sent again.
    ///
    /// The journal is written before the results. So results beyond it mean that it was truncated or replaced by an
    /// older copy.
    func refuseOlderJournal(_ replay: JournalReplay) throws(BatchFolderError) {
        let size = try trying { () throws(SystemError) in try results.size() }
        if size < replay.sizes.results { throw .resultsLost(results.path, size, replay.sizes.results) }
        let isBehind = (length.bytes ?? 0) > replay.length || size > replay.sizes.results && !replay.isTorn
        if isBehind { throw .olderJournal(folder) }
    }

    /// Truncates the files to the sizes in the journal.
    ///
    /// - Returns: The new sizes of the files.
    func cut(_ replay: JournalReplay) throws(BatchFolderError) -> OutputSizes {
        try trying { () throws(SystemError) in
            var sizes = replay.sizes
            try results.truncate(to: sizes.results)
            sizes.gone = try gone.cut(to: sizes.gone)
            sizes.again = try again.cut(to: sizes.again)
            sizes.unknown = try unknown.cut(to: sizes.unknown)
            try journal.truncate(to: replay.length)
            return sizes
        }
    }

    func begin(_ block: [UInt8], at offset: Int) throws(BatchFolderError) {
        try trying { () throws(SystemError) in try journal.write(block, at: offset) }
    }

    // MARK: During a run

    /// Whether the folder is still at its path, with the files that a campaign needs.
    var isInPlace: Bool { journal.isInPlace && results.isInPlace }

    /// Throws when the largest of the files cannot grow by this many bytes.
    func requireRoom(_ sizes: OutputSizes, more bytes: Int) throws(SystemError) {
        let limit = FileSizeLimit.bytes
        guard limit < .max else { return }
        let largest = max(sizes.results, sizes.gone, sizes.again, sizes.unknown)
        if largest + min(bytes, limit / 4) > limit { throw .tooLarge }
    }

    func append(_ block: [UInt8], at length: Int) throws(SystemError) {
        do throws(SystemError) {
            try journal.write(block, at: length)
        } catch {
            cutJournal(to: length)
            throw error
        }
    }

    /// Removes a block that failed, or whose results cannot be written. The next block overwrites it in any case.
    func cutJournal(to length: Int) {
        try? journal.truncate(to: length)
    }

    /// Removes results that failed.
    func cutResults(to size: Int) {
        try? results.truncate(to: size)
    }

    /// Stores the length of the journal. If the journal is shorter later, it is an older one.
    func noteLength(_ bytes: Int) {
        length.note(bytes)
    }

    /// Finds the lists that were moved away since the last write, among those that get new lines.
    ///
    /// - Returns: The sizes, including those of the new files.
    func reopenMovedLists(_ pages: BatchPages, _ known: OutputSizes) throws(SystemError) -> OutputSizes {
        var sizes = known
        if !pages.gone.isEmpty { sizes.gone = try gone.reopenIfMoved(known.gone) }
        if !pages.again.isEmpty { sizes.again = try again.reopenIfMoved(known.again) }
        if !pages.unknown.isEmpty { sizes.unknown = try unknown.reopenIfMoved(known.unknown) }
        return sizes
    }

    func writeLists(_ pages: BatchPages, _ sizes: OutputSizes) throws(SystemError) {
        try gone.write(pages.gone, at: sizes.gone)
        try again.write(pages.again, at: sizes.again)
        try unknown.write(pages.unknown, at: sizes.unknown)
    }

    func writeResults(_ pages: BatchPages, at offset: Int) throws(SystemError) {
        try results.write(pages.results, at: offset)
    }

    // MARK: Syncing

    /// Syncs the lists that got lines.
    func syncLists(_ pages: BatchPages) throws(SystemError) {
        if !pages.gone.isEmpty { try gone.sync() }
        if !pages.again.isEmpty { try again.sync() }
        if !pages.unknown.isEmpty { try unknown.sync() }
    }

    func syncResults() throws(SystemError) {
        try results.sync()
    }

    func syncJournal() throws(SystemError) {
        try journal.sync()
    }

    /// Syncs the file names and the folder name. Without this, the files may be missing after a power failure.
    func syncNames() throws(SystemError) {
        try OutputFile.syncFolder(folder)
        try OutputFile.syncFolder("\(folder)/..")
    }
}
