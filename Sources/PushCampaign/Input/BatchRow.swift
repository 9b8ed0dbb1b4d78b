internal import PushProvider

/// One line of a campaign: what is needed to say afterwards what became of it, and to send it another time.
final class BatchRow: NotificationAttachment {
    /// What is known of it without sending it.
    enum Verdict: Sendable, Hashable {
        /// It cannot be sent, and why.
        case invalid(String)
        /// A line before it has the same device token.
        case duplicate
        /// An earlier run was ended while it might have gone out.
        case interrupted
    }

    /// Its place among all lines of all files, from 0. Empty lines and headers do not count.
    let place: Int
    /// The number of its first line in its file, from 1.
    let line: Int
    /// Which of the files it is from, from 0.
    let file: Int
    /// The line as one JSON object, or as it came when it is none.
    let text: [UInt8]
    /// How many bytes of the text identify the line. What follows may be different in another run of the same campaign: the
    /// times of an entry of a sequence.
    let identified: Int
    /// Where `ref` stands in the text: any JSON.
    let ref: Range<Int>?
    /// Where the device token stands in the text, without quotation marks.
    let token: Range<Int>?
    /// The line has an `apns_id` of its own.
    let hasID: Bool
    /// `nil` when it is to be sent.
    let verdict: Verdict?
    /// It may have gone out before, in a run that was ended.
    let wasMarked: Bool
    /// What this run has done with it so far.
    let history: History

    /// How often a line was sent in vain, for causes that may pass.
    struct History: Sendable, Hashable {
        /// How often the client gave it to a connection.
        var attempts = 0
        /// How often it came back to be sent again.
        var returns = 0
        /// How often it came back after the server had answered others meanwhile: the cause may lie in this line.
        var ownReturns = 0
        /// How many lines the server had answered when it came back for the first time.
        var answersBefore = 0
    }

    init(
        place: Int, line: Int, file: Int, text: [UInt8], identified: Int? = nil, ref: Range<Int>? = nil,
        token: Range<Int>? = nil, hasID: Bool = false, verdict: Verdict? = nil, wasMarked: Bool = false,
        history: History = History()
    ) {
        self.history = history
        self.place = place
        self.line = line
        self.file = file
        self.text = text
        self.identified = identified ?? text.count
        self.ref = ref
        self.token = token
        self.hasID = hasID
        self.verdict = verdict
        self.wasMarked = wasMarked
    }

    package var isInvalid: Bool { verdict != nil }

    /// The same line with something known of it.
    func judged(_ verdict: Verdict?, wasMarked: Bool = false) -> BatchRow {
        BatchRow(
            place: place, line: line, file: file, text: text, identified: identified, ref: ref, token: token,
            hasID: hasID, verdict: verdict, wasMarked: wasMarked, history: history)
    }

    /// The same line, which has come back to be sent again.
    func returned(_ history: History) -> BatchRow {
        BatchRow(
            place: place, line: line, file: file, text: text, identified: identified, ref: ref, token: token,
            hasID: hasID, verdict: verdict, wasMarked: wasMarked, history: history)
    }

    /// What identifies the line: another run knows it by that.
    var identity: [UInt8] { identified == text.count ? text : Array(text[..<identified]) }

    /// Adds what identifies the line to the digest of the lines that a mark is for.
    func addIdentity(to digest: inout QuickDigest) {
        text.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<identified])) }
    }
}

extension PushNotification {
    /// The line of a campaign that it is for.
    var row: BatchRow? {
        get { attachment as? BatchRow }
        set { attachment = newValue }
    }
}
