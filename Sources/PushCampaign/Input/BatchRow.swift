internal import PushProvider

/// One line of a campaign: the data to report its outcome and to send it again.
final class BatchRow: NotificationAttachment {
    enum SkipReason: Sendable, Hashable {
        case invalid(String)
        /// An earlier line has the same device token.
        case duplicate
        /// An earlier run that ended may have sent the line.
        case interrupted
        /// A later line that replaces it on its device was started.
        case superseded
    }

    /// The index of the line among all lines of all files, from 0. Empty lines and headers do not count.
    let index: Int
    /// The number of its first line in its file, from 1.
    let line: Int
    /// The index of its file, from 0.
    let file: Int
    /// The line as one JSON object, or the raw line when it is not one.
    let text: [UInt8]
    /// The number of bytes of the text that identify the line. The rest may differ in another run of the same campaign,
    /// such as the times in an entry of a sequence.
    let identified: Int
    /// The range of `ref` in the text. Its value is any JSON.
    let ref: Range<Int>?
    /// The range of the device token in the text, without quotation marks.
    let token: Range<Int>?
    /// The hex digits of the device token if the text has another form of it.
    private let hex: [UInt8]?
    let hasID: Bool
    /// Whether the line has a payload of its own that is sent as it is, because the line has no values for it.
    let hasRawPayload: Bool
    private let state: State

    /// What is known about sending the line.
    private struct State {
        var skipReason: SkipReason?
        var wasMarked = false
        var history = History()
        var key: CollapseKey?
    }

    /// How often a line was sent without success, for temporary causes.
    struct History: Sendable, Hashable {
        /// How often the client gave the line to a connection.
        var attempts = 0
        /// How often the line was returned to be sent again.
        var returns = 0
        /// How often the line was returned after the server had answered other lines meanwhile: the cause may be this
        /// line.
        var ownReturns = 0
        /// The number of lines that the server had answered when this line was returned for the first time.
        var answersBefore = 0
    }

    init(
        index: Int, line: Int, file: Int, text: [UInt8], identified: Int? = nil, ref: Range<Int>? = nil,
        token: Range<Int>? = nil, hex: [UInt8]? = nil, hasID: Bool = false, hasRawPayload: Bool = false,
        skipReason: SkipReason? = nil
    ) {
        state = State(skipReason: skipReason)
        self.index = index
        self.line = line
        self.file = file
        self.text = text
        self.identified = identified ?? text.count
        self.ref = ref
        self.token = token
        self.hex = hex
        self.hasID = hasID
        self.hasRawPayload = hasRawPayload
    }

    /// Copies a line, with another state.
    private init(_ row: BatchRow, _ state: State) {
        self.state = state
        (index, line, file) = (row.index, row.line, row.file)
        (hasID, hasRawPayload) = (row.hasID, row.hasRawPayload)
        (text, identified, ref) = (row.text, row.identified, row.ref)
        (token, hex) = (row.token, row.hex)
    }

    /// The device token, without quotation marks; the text as it is if it is not one. `nil` if the line has none.
    var deviceToken: ArraySlice<UInt8>? { hex.map { $0[...] } ?? token.map { text[$0] } }
    /// Why the line is not sent; `nil` if it is to be sent.
    var skipReason: SkipReason? { state.skipReason }
    /// Whether the line may have been sent by an earlier run that ended.
    var wasMarked: Bool { state.wasMarked }
    /// What this run did with the line so far.
    var history: History { state.history }
    /// Which lines it replaces on its device, and which replace it; `nil` without a collapse id.
    var key: CollapseKey? { state.key }

    package var isInvalid: Bool { skipReason != nil }

    /// Returns the same line with this reason not to send it.
    func with(skipReason: SkipReason?, wasMarked: Bool = false) -> BatchRow {
        changed { ($0.skipReason, $0.wasMarked) = (skipReason, wasMarked) }
    }

    /// Returns the same line with this history, to be sent again.
    func returned(_ history: History) -> BatchRow { changed { $0.history = history } }

    func with(key: CollapseKey) -> BatchRow { changed { $0.key = key } }

    /// Returns the same line, not to be sent because a later line that replaces it was started.
    var superseded: BatchRow { changed { $0.skipReason = .superseded } }

    private func changed(_ change: (inout State) -> Void) -> BatchRow {
        var state = state
        change(&state)
        return BatchRow(self, state)
    }

    /// The bytes that identify the line: another run finds the line by them.
    var identity: [UInt8] { identified == text.count ? text : Array(text[..<identified]) }

    /// Adds the identity of the line to the digest of the lines of a mark.
    func addIdentity(to digest: inout QuickDigest) {
        text.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<identified])) }
    }
}

extension PushNotification {
    /// The line of the campaign that the notification belongs to.
    var row: BatchRow? {
        get { attachment as? BatchRow }
        set { attachment = newValue }
    }
}
