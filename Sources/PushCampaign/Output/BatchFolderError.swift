/// Why the folder of a campaign cannot be used.
public struct BatchFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// It cannot be made or opened.
        public static let unusable = Code(word: "unusable")
        /// It is of another campaign, or of something else altogether.
        public static let another = Code(word: "another")
        /// Another process works on it.
        public static let busy = Code(word: "busy")
        /// Its journal or its results cannot be read, or do not fit together.
        public static let damaged = Code(word: "damaged")
        /// It cannot be written any more.
        public static let unwritable = Code(word: "unwritable")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String
}

/// What each of them says. A message that names `--out` or `--restart` says what goes out twice by it.
extension BatchFolderError {
    static func busy(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .busy,
            description: """
                Another process works on the folder \(folder): wait until it has ended. In another folder (--out) this would be \
                another campaign, and every line would go out twice.
                """)
    }

    static func unusable(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            code: .unusable,
            description: """
                The folder \(folder) cannot be used: \(error). Correct that, or name another folder with --out: there the campaign \
                begins with the first line, and lines that went out from this folder go out twice.
                """)
    }

    static func damaged(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                The journal in \(folder) is damaged: which lines went out cannot be told. Keep the folder. To send the rest, \
                take the lines that are not in its results.jsonl, and send them with another --out: those that were under way when \
                the last run ended may go out twice.
                """)
    }

    static func olderJournal(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                The journal in \(folder) is older than what was sent: a part of it is missing. Nothing was sent now. Bring the newest \
                journal back, then the same command goes on. Without it, keep the folder, take the lines that are not in its \
                results.jsonl, and send them with another --out: those that were under way when the last run ended may go out twice.
                """)
    }

    static func resultsLost(_ path: String, _ found: Int, _ known: Int) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                \(path) has \(found) bytes, and the journal knows of \(known): results were lost. Bring the file back, then the same \
                command goes on. Without it nobody knows which lines went out: with --restart or another --out, all of them go out again.
                """)
    }

    /// Something is there, and no journal that it belongs to.
    static func withoutJournal(_ path: String) -> BatchFolderError {
        BatchFolderError(
            code: .another,
            description: """
                \(path) is there, and no journal that it belongs to. If it is the file of a campaign, bring its journal back, then \
                the same command goes on; with --restart it is thrown away and every line goes out, also those that went out \
                before. If it is something else, name another folder with --out.
                """)
    }

    static func foreign(_ path: String) -> BatchFolderError {
        BatchFolderError(
            code: .another,
            description: """
                \(path) is not the journal of a campaign. Name another folder with --out: this one would be overwritten.
                """)
    }

    static func another(_ folder: String, _ fact: CampaignFact) -> BatchFolderError {
        BatchFolderError(
            code: .another,
            description: """
                The folder \(folder) belongs to another campaign: \(fact.words) is not the same. If this is a new campaign, name another \
                folder with --out. If it is the one of the folder, give \(fact.words) as before: with --out or --restart, lines \
                that went out already go out twice.
                """)
    }

    static func noRoom(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            code: .unwritable,
            description: """
                There is no room for results in the folder \(folder): \(error). A campaign needs at least \(Reserve.least >> 10) KiB, and \
                some 300 bytes for each line. Nothing was sent: make room, then the same command begins or goes on.
                """)
    }

    static func used(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .busy,
            description: "A run has used this BatchFolder of \(folder) already: open the folder again for another.")
    }
}
