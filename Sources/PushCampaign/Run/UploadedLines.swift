package import PushProvider

/// Reads the lines of a campaign from bytes that arrive in pieces, and checks each one as a campaign from a file does. A pure value.
///
/// It holds at most one piece and one line.
package struct UploadedLines {
    package struct Line: Sendable {
        package var number: Int
        /// The line as a JSON object, as it was given or made of the columns; the raw line if it is not one.
        package var text: [UInt8]
        /// The push, or why the line cannot be sent.
        package var content: Result<Push, Fault>
    }

    package struct Push: Sendable {
        package var notification: PushNotification
        /// The user to whose devices the push goes, and not to the token of the notification; `nil` for a push to that token.
        package var user: String?
        package var hasOwnPayload: Bool
        /// The values for the placeholders of the common payload; `nil` if it has none, or the line has its own payload.
        package var variables: [UInt8]?
        /// The `ref` of the line, as JSON; `nil` if it has none.
        package var reference: [UInt8]?
    }

    /// Why a line cannot be sent.
    package struct Fault: Error, Hashable {
        /// The rule of the lint; `nil` if the line itself, or one of its times, is not valid.
        package var rule: String?
        /// The header field or the path in the payload that breaks the rule, or the value that does not fit the payload, as in `vars.name`;
        /// `nil` if the line itself is not valid.
        package var field: String?
        package var detail: String
        /// How to correct it; `nil` if the detail says so.
        package var remedy: String?
    }

    private var text: BatchText
    private var reader: RowReader
    private var lint: BatchLint
    private let first: Int?
    private let now: Int
    private let defaultTopic: ((() -> PushType) -> String?)?

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - format: The format; `nil` to detect it from the first bytes.
    ///   - defaults: Values for every line.
    ///   - first: The number of the first line after a header; `nil` to number the lines as they are in the bytes.
    ///   - now: The current time for rules about times, in seconds since 1970.
    ///   - defaultTopic: Returns the topic of a line without one, for its push type; `nil` while it is not known. Without this, such a line is
    ///     refused.
    package init(
        format: BatchFormat?, _ defaults: BatchDefaults, first: Int?, secondsSince1970 now: Int,
        defaultTopic: ((() -> PushType) -> String?)? = nil
    ) {
        reader = RowReader(defaults)
        text = reader.text(format: format)
        lint = BatchLint(nil, BatchFindings(), secondsSince1970: now)
        self.first = first
        self.now = now
        self.defaultTopic = defaultTopic
    }

    /// The placeholders with a default that none of the lines so far has a value for.
    package var unfilled: [UnfilledPlaceholder] { reader.unfilled }

    /// Judges the first line like each other one, because the caller has cut the lines.
    package mutating func takeCutLines() { text.hasCutLines = true }

    package mutating func feed(_ bytes: [UInt8]) { text.feed(bytes) }

    /// Ends the input, so that a last line without a line end is read.
    package mutating func end() { text.end() }

    /// Returns the next line that is not empty; `nil` when more bytes are needed, or at the end.
    ///
    /// - Throws: ``BatchInputError`` if the bytes are no lines of a campaign.
    package mutating func next() throws(BatchInputError) -> Line? {
        guard let line = try text.next() else { return nil }
        let number = first.map { $0 + line.number - text.firstLine } ?? line.number
        if let problem = line.problem {
            return Line(number: number, text: line.text, content: .failure(Fault(detail: problem)))
        }
        return Line(number: number, text: line.text, content: push(line))
    }

    private mutating func push(_ line: BatchText.Line) -> Result<Push, Fault> {
        let notification = reader.notification(line.text, index: 0, line: line.number, file: 0)
        if case .invalid(let message)? = notification.row?.skipReason {
            return .failure(Fault(field: reader.wrongValue.map { "vars.\($0.prefix(100))" }, detail: message))
        }
        if notification.id != nil {
            return .failure(
                Fault(detail: "The line has an \"apns_id\", but the service makes the ids.", remedy: "Remove it."))
        }
        if let mistake = TimeChecks.mistake(in: notification, secondsSince1970: now) {
            let field = mistake.subject == .expiration ? APNSHeader.expiration : "registered_at"
            return .failure(Fault(field: field, detail: mistake.problem, remedy: mistake.advice))
        }
        if let error = error(in: notification) {
            return .failure(Fault(rule: error.rule, field: error.subject, detail: error.problem, remedy: error.advice))
        }
        let hasOwn = reader.hasOwnPayload
        let reference = notification.row?.ref.map { Array(line.text[$0]) }
        var sent = notification
        sent.row = nil
        return .success(
            Push(
                notification: sent, user: reader.user, hasOwnPayload: hasOwn,
                variables: hasOwn ? nil : reader.variables(of: line.text),
                reference: reference))
    }

    /// The first rule that a push breaks, with the topic that it gets.
    private mutating func error(in notification: PushNotification) -> PushFinding? {
        let defaultTopic = reader.hasOwnTopic ? nil : defaultTopic
        var judged = notification
        if judged.topic.isEmpty, let defaultTopic {
            judged.topic = defaultTopic { notification.effectivePushType } ?? ""
        }
        let isTopicUnknown = judged.topic.isEmpty && defaultTopic != nil
        return lint.findings(in: judged).first {
            $0.severity == .error && !(isTopicUnknown && $0.rule == "topic-missing")
        }
    }
}
