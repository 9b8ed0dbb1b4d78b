/// Why the folder of a campaign cannot be used.
public struct BatchFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later versions may add more.
    public struct Code: Hashable, Sendable {
        let name: String
        /// The folder cannot be created or opened.
        public static let unusable = Code(name: "unusable")
        /// The folder belongs to another campaign, or to something else.
        public static let another = Code(name: "another")
        /// Another process uses the folder.
        public static let busy = Code(name: "busy")
        /// The journal or the results cannot be read, or do not match each other.
        public static let damaged = Code(name: "damaged")
        /// The folder cannot be written any more.
        public static let unwritable = Code(name: "unwritable")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, in a few sentences.
    public let description: String
    package let remedies: [Remedy]

    package enum Remedy: Hashable, Sendable {
        case anotherFolder
        case startAnew
    }

    private init(_ code: Code, _ description: String, remedies: [Remedy] = []) {
        (self.code, self.description, self.remedies) = (code, description, remedies)
    }
}

/// The messages. A message that names a remedy says which lines are then sent twice.
extension BatchFolderError {
    static func busy(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            .busy,
            """
            Another process uses the folder \(folder). Wait until it has ended. In another folder, a new campaign \
            would begin and send every line twice.
            """, remedies: [.anotherFolder])
    }

    static func unusable(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            .unusable,
            """
            The folder \(folder) can't be used: \(error). Correct that, or use another folder: there the campaign begins with \
            the first line, and lines that were sent from this folder are sent twice.
            """, remedies: [.anotherFolder])
    }

    static func damaged(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            .damaged,
            """
            The journal in \(folder) is damaged, so it's unknown which lines were sent. Keep the folder. To send the \
            rest, take the lines that aren't in its results.jsonl, and send them with another folder: lines that were \
            in flight when the last run ended may be sent twice.
            """, remedies: [.anotherFolder])
    }

    static func olderJournal(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            .damaged,
            """
            The journal in \(folder) is older than the last run: a part of it is missing. Nothing was sent now. Restore the newest \
            journal, then run the campaign again. Without it, keep the folder, take the lines that aren't in its \
            results.jsonl, and send them with another folder: lines that were in flight when the last run ended may be sent twice.
            """, remedies: [.anotherFolder])
    }

    static func resultsLost(_ path: String, _ found: Int, _ known: Int) -> BatchFolderError {
        BatchFolderError(
            .damaged,
            """
            \(path) is \(found) bytes, but the journal expects \(known): results were lost. Restore the file, then run the \
            campaign again. Without it, it's unknown which lines were sent: a campaign in another folder, \
            or started from the beginning in this one, sends all lines again.
            """, remedies: [.anotherFolder, .startAnew])
    }

    static func withoutJournal(_ path: String) -> BatchFolderError {
        BatchFolderError(
            .another,
            """
            \(path) exists without a journal. If it is the file of a campaign, restore its journal, then run the campaign \
            again; if the campaign starts from the beginning, the file is discarded and every line is sent, also \
            those that were sent before. If it is something else, use another folder.
            """, remedies: [.anotherFolder, .startAnew])
    }

    static func foreign(_ path: String) -> BatchFolderError {
        BatchFolderError(
            .another,
            """
            \(path) isn't the journal of a campaign. Use another folder: this one would be overwritten.
            """, remedies: [.anotherFolder])
    }

    static func another(_ folder: String, _ difference: CampaignHead.Difference) -> BatchFolderError {
        let fact = difference.fact
        let values =
            fact.isDigest || difference.known.map { $0.isEmpty || fact.value.isEmpty } ?? true
            ? "" : " (it was \(difference.known ?? ""), now it is \(fact.value))"
        return BatchFolderError(
            .another,
            """
            The folder \(folder) belongs to another campaign: \(fact.message) isn't the same\(values). For a new campaign, use another \
            folder. To continue the campaign of the folder, give \(fact.message) as before: a campaign in another folder, or \
            started from the beginning in this one, sends all lines again.
            """, remedies: [.anotherFolder, .startAnew])
    }

    static func noRoom(_ folder: String, _ error: SystemError) -> BatchFolderError {
        BatchFolderError(
            .unwritable,
            """
            There is no space for results in the folder \(folder): \(error). A campaign needs at least \(Reserve.least >> 10) KiB, and \
            about 300 bytes for each line. Nothing was sent. Free some space, then run the campaign again.
            """)
    }

    static func used(_ folder: String) -> BatchFolderError {
        BatchFolderError(
            .busy, "A run has already used this BatchFolder of \(folder). Open the folder again for another run.")
    }
}
