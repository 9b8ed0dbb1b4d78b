/// One line of a campaign: what is needed to say afterwards what became of it, and to send it another time.
final class BatchRow: Sendable {
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
    /// Where `ref` stands in the text: any JSON.
    let ref: Range<Int>?
    /// Where the device token stands in the text, without quotation marks.
    let token: Range<Int>?
    /// `nil` when it is to be sent.
    let verdict: Verdict?
    /// It may have gone out before, in a run that was ended.
    let wasMarked: Bool

    init(
        place: Int, line: Int, file: Int, text: [UInt8], ref: Range<Int>? = nil, token: Range<Int>? = nil,
        verdict: Verdict? = nil, wasMarked: Bool = false
    ) {
        self.place = place
        self.line = line
        self.file = file
        self.text = text
        self.ref = ref
        self.token = token
        self.verdict = verdict
        self.wasMarked = wasMarked
    }

    /// The same line with something known of it.
    func judged(_ verdict: Verdict?, wasMarked: Bool = false) -> BatchRow {
        BatchRow(
            place: place, line: line, file: file, text: text, ref: ref, token: token, verdict: verdict,
            wasMarked: wasMarked)
    }
}
