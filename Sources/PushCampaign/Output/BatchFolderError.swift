/// Why the folder of a campaign cannot be used.
public struct BatchFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later versions may add more.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The folder cannot be created or opened.
        public static let unusable = Code(word: "unusable")
        /// The folder belongs to another campaign, or to something else.
        public static let another = Code(word: "another")
        /// Another process uses the folder.
        public static let busy = Code(word: "busy")
        /// The journal or the results cannot be read, or do not match each other.
        public static let damaged = Code(word: "damaged")
        /// The folder cannot be written any more.
        public static let unwritable = Code(word: "unwritable")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, in a few sentences.
    public let description: String
}

/// The messages. One that names `--out` or `--restart` says which lines are sent twice by it.
extension BatchFolderError {
    static func busy(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .busy,
            description: """
                Another process uses the folder \(folder). Wait until it has ended. With another folder (--out) this is another \
                campaign, and every line is sent twice.
                """)
    }

    static func unusable(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            code: .unusable,
            description: """
                The folder \(folder) cannot be used: \(error). Correct that, or give another folder with --out: there the campaign \
                begins with the first line, and lines that were sent from this folder are sent twice.
                """)
    }

    static func damaged(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                The journal in \(folder) is damaged, so it is unknown which lines were sent. Keep the folder. To send the rest, \
                take the lines that are not in its results.jsonl, and send them with another --out: lines that were in flight when \
                the last run ended may be sent twice.
                """)
    }

    static func olderJournal(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                The journal in \(folder) is older than the last run: a part of it is missing. Nothing was sent now. Restore the newest \
                journal, then run the same command again. Without it, keep the folder, take the lines that are not in its \
                results.jsonl, and send them with another --out: lines that were in flight when the last run ended may be sent twice.
                """)
    }

    static func resultsLost(_ path: String, _ found: Int, _ known: Int) -> BatchFolderError {
        BatchFolderError(
            code: .damaged,
            description: """
                \(path) has \(found) bytes, but the journal expects \(known): results were lost. Restore the file, then run the same \
                command again. Without it, it is unknown which lines were sent: with --restart or another --out, all lines are sent again.
                """)
    }

    /// A file exists without the journal that it belongs to.
    static func withoutJournal(_ path: String) -> BatchFolderError {
        BatchFolderError(
            code: .another,
            description: """
                \(path) exists without a journal. If it is the file of a campaign, restore its journal, then run the same command \
                again; with --restart the file is discarded and every line is sent, also those that were sent before. \
                If it is something else, give another folder with --out.
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
                The folder \(folder) belongs to another campaign: \(fact.words) is not the same. For a new campaign, give another \
                folder with --out. To continue the campaign of the folder, give \(fact.words) as before: with --out or --restart, lines \
                that were sent already are sent twice.
                """)
    }

    static func noRoom(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            code: .unwritable,
            description: """
                There is no room for results in the folder \(folder): \(error). A campaign needs at least \(Reserve.least >> 10) KiB, and \
                about 300 bytes for each line. Nothing was sent. Free some space, then run the same command again.
                """)
    }

    static func used(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            code: .busy,
            description: "A run has already used this BatchFolder of \(folder). Open the folder again for another run.")
    }
}
