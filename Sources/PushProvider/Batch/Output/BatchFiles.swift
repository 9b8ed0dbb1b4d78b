#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The files in the folder of a campaign.
struct BatchFiles: Sendable {
    private let folder: String
    private let journal: OutputFile
    private let results: OutputFile
    private let gone: OutputFile
    private let again: OutputFile
    private let unknown: OutputFile
    private let reserve: OutputFile

    /// So much is kept free for the outcomes of what is in flight when the disk is full.
    private static let reserved = 4 << 20

    /// Opens them, and makes them where they are not; keeps other processes out.
    init(_ folder: String) throws(BatchFolderError) {
        self.folder = folder
        do throws(SystemError) {
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .last }
            journal = try OutputFile("\(folder)/journal")
            guard journal.lock() else { throw SystemError(number: EWOULDBLOCK) }
            results = try OutputFile("\(folder)/results.jsonl")
            gone = try OutputFile("\(folder)/gone")
            again = try OutputFile("\(folder)/again.jsonl")
            unknown = try OutputFile("\(folder)/unknown.jsonl")
            reserve = try OutputFile("\(folder)/reserve")
        } catch {
            guard error.number == EWOULDBLOCK else { throw Self.unusable(folder, error) }
            throw BatchFolderError(
                code: .busy,
                description:
                    "Another process works on the folder \(folder): wait for it, or name another one with --out.")
        }
    }

    /// Lets other processes in.
    func leave() {
        journal.unlock()
    }

    private var others: [OutputFile] { [results, gone, again, unknown] }

    private static func unusable(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            code: .unusable, description: "The folder \(folder) cannot be used: \(error). Name another one with --out.")
    }

    var damaged: BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                The journal in \(folder) is damaged: what was sent cannot be told from what was not. Keep the folder, and begin \
                anew in another one with --out, without the lines that its results.jsonl has.
                """)
    }

    private func trying<Result>(_ body: () throws(SystemError) -> Result) throws(BatchFolderError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Self.unusable(folder, error)
        }
    }

    // MARK: Before a run

    func empty() throws(BatchFolderError) {
        try trying { () throws(SystemError) in
            for file in [journal] + others { try file.truncate(to: 0) }
        }
    }

    func replay() throws(BatchFolderError) -> JournalReplay {
        let bytes = try trying { () throws(SystemError) in try journal.contents() }
        var replay = JournalReplay()
        guard replay.read(bytes), bytes.isEmpty || replay.campaign != nil || replay.length == 0 else { throw damaged }
        return replay
    }

    /// What is there without a journal was not written by us.
    func refuseStrangers() throws(BatchFolderError) {
        for file in others {
            let size = try trying { () throws(SystemError) in try file.size() }
            guard size > 0 else { continue }
            throw BatchFolderError(
                code: .another,
                description: """
                    \(file.path) is there, and no journal that it belongs to: name another folder with --out, or throw it away \
                    with --restart.
                    """)
        }
    }

    func begin(_ block: [UInt8]) throws(BatchFolderError) {
        try trying { () throws(SystemError) in try journal.write(block, at: 0) }
    }

    /// Brings all of them to what the journal knows.
    func cut(to sizes: OutputSizes, journal length: Int) throws(BatchFolderError) {
        let wanted = [sizes.results, sizes.gone, sizes.again, sizes.unknown]
        for (file, size) in zip(others, wanted) {
            let found = try trying { () throws(SystemError) in try file.size() }
            // Lists are for taking away; what became of each line is not.
            guard found >= size || file !== results else {
                throw BatchFolderError(
                    code: .damaged,
                    description: """
                        \(file.path) has \(found) bytes, and the journal knows of \(size): results were lost. Bring the file \
                        back, or send the lines that are not in it with another --out.
                        """)
            }
            guard found > size else { continue }
            try trying { () throws(SystemError) in try file.truncate(to: size) }
        }
        try trying { () throws(SystemError) in try journal.truncate(to: length) }
        // Without it a full disk only loses a little more.
        try? reserve.occupy(Self.reserved)
    }

    // MARK: During a run

    func append(_ block: [UInt8], at length: Int) throws(SystemError) {
        try journal.write(block, at: length)
    }

    func write(_ pages: BatchPages, at sizes: inout OutputSizes) throws(SystemError) {
        try results.write(pages.results, at: sizes.results)
        try gone.write(pages.gone, at: sizes.gone)
        try again.write(pages.again, at: sizes.again)
        try unknown.write(pages.unknown, at: sizes.unknown)
        sizes.results += pages.results.count
        sizes.gone += pages.gone.count
        sizes.again += pages.again.count
        sizes.unknown += pages.unknown.count
    }

    func sync() throws(SystemError) {
        try syncResults()
        try journal.sync()
    }

    func syncResults() throws(SystemError) {
        for file in others { try file.sync() }
    }

    func giveUpReserve() -> Bool {
        guard let size = try? reserve.size(), size > 0 else { return false }
        return (try? reserve.truncate(to: 0)) != nil
    }
}
