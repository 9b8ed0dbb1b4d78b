internal import NIOConcurrencyHelpers
internal import PushPlatform

struct BatchFiles: Sendable {
    let folder: String
    let journal: OutputFile
    let length: JournalLength
    let results: OutputFile
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

    private var lists: [ListFile] { [gone, again, unknown] }

    private func trying<Result>(_ body: () throws(SystemError) -> Result) throws(BatchFolderError) -> Result {
        return try rethrowing(try body()) { (error: SystemError) in BatchFolderError.unusable(folder, error) }
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
        replay.countLastBlock(results: size)
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
            // The next block overwrites it in any case.
            try? journal.truncate(to: length)
            throw error
        }
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

    // MARK: Syncing

    /// Syncs the lists that got lines.
    func syncLists(_ pages: BatchPages) throws(SystemError) {
        if !pages.gone.isEmpty { try gone.sync() }
        if !pages.again.isEmpty { try again.sync() }
        if !pages.unknown.isEmpty { try unknown.sync() }
    }

    /// Syncs the file names and the folder name. Without this, the files may be missing after a power failure.
    func syncNames() throws(SystemError) {
        try OutputFile.syncFolder(folder)
        try OutputFile.syncFolder("\(folder)/..")
    }
}

/// A list that the user may move away at any time: `gone`, `again.jsonl`, or `unknown.jsonl`.
///
/// The size in the journal applies to the file at that time. If the file was moved away, even during a run, a new one
/// is created, and new lines begin at its real end.
final class ListFile: Sendable {
    let path: String
    private let current: NIOLockedValueBox<OutputFile>

    init(_ path: String) throws(SystemError) {
        self.path = path
        current = NIOLockedValueBox(try OutputFile(path))
    }

    private var file: OutputFile { current.withLockedValue { $0 } }

    func size() throws(SystemError) -> Int { try file.size() }

    func truncate(to size: Int) throws(SystemError) {
        try file.truncate(to: size)
    }

    /// Finds the offset for the next line, and truncates the file there. This removes an incomplete line, or lines
    /// whose outcomes the journal does not have.
    ///
    /// - Parameter known: The size according to the journal.
    /// - Returns: The new size.
    /// - Throws: ``SystemError``.
    func cut(to known: Int) throws(SystemError) -> Int {
        let found = try file.size()
        // If no line ends at the known size, it is another file.
        let knownEnd = try file.endOfLastLine(before: min(known, found))
        let end = knownEnd == known ? known : try file.endOfLastLine(before: found)
        if end < found { try file.truncate(to: end) }
        return end
    }

    /// Opens the file again if its path now leads to another file or to none.
    ///
    /// - Parameter known: The size up to which it was written.
    /// - Returns: The offset for the next line; less than the known size if the file was moved away.
    /// - Throws: ``SystemError``.
    func reopenIfMoved(_ known: Int) throws(SystemError) -> Int {
        if !file.isInPlace {
            let new = try OutputFile(path)
            current.withLockedValue { $0 = new }
            return try cut(to: new.size())
        }
        return try file.size() < known ? cut(to: known) : known
    }

    /// Writes complete lines. If writing fails, nothing of them remains.
    func write(_ lines: [UInt8], at offset: Int) throws(SystemError) {
        if lines.isEmpty { return }
        let file = file
        do throws(SystemError) {
            try file.write(lines, at: offset)
        } catch {
            try? file.truncate(to: offset)
            throw error
        }
    }

    func sync() throws(SystemError) {
        try file.sync()
    }
}

/// The file `journal.length`: the size of the journal when it last allowed lines to be sent.
///
/// It is written after the journal, so it is never ahead of it. A shorter journal was truncated or is an older copy,
/// and does not have the lines that were sent since.
struct JournalLength: Sendable {
    private let file: OutputFile

    /// Always the same number of digits, so that overwriting needs no disk space.
    private static let digits = 20

    init(_ path: String) throws(SystemError) {
        file = try OutputFile(path)
    }

    var path: String { file.path }

    /// The stored size; `nil` if the file has none.
    var bytes: Int? {
        guard let text = try? file.contents(atMost: Self.digits), text.count == Self.digits else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Stores the size. An error does not stop a campaign: without the size, only less damage is detected.
    func note(_ bytes: Int) {
        let number = String(bytes)
        let text = String(repeating: "0", count: max(0, Self.digits - number.count)) + number + "\n"
        try? file.write(Array(text.utf8), at: 0)
    }

    func clear() throws(SystemError) {
        try file.truncate(to: 0)
    }
}
