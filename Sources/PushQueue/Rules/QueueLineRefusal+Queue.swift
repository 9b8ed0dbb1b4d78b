extension QueueLineRefusal {
    /// The longest text of a stored refusal, in bytes of UTF-8. A longer one is cut.
    private static let longestText = 250

    /// The refusal as it is stored.
    package var shortened: QueueLineRefusal {
        func cut(_ text: String) -> String {
            guard text.utf8.count > Self.longestText else { return text }
            return String(decoding: text.utf8.prefix(Self.longestText - 3), as: UTF8.self) + "…"
        }
        return QueueLineRefusal(
            code: cut(code), detail: cut(detail), field: field.map(cut), remedy: remedy.map(cut))
    }

    /// What the queue itself refuses.
    package init(_ refusal: EnqueueResult.Refusal) {
        switch refusal {
        case .expiresTooEarly:
            self.init(
                code: "expires_too_early", detail: "The line has expired already.", field: "expires",
                remedy: "Give it a later time, or a duration such as 2h.")
        case .timeOutOfRange:
            self.init(code: "invalid_value", detail: "The time is out of range.", field: "expires")
        case .target: self.init(code: "invalid_value", detail: "The token is empty or too long.", field: "token")
        case .payload:
            self.init(code: "invalid_value", detail: "The payload is empty or too long.", field: "payload")
        case .variables: self.init(code: "invalid_value", detail: "The values are too long.", field: "vars")
        case .push:
            self.init(
                code: "invalid_value", detail: "The topic, the ref and the other details are too long.",
                field: "ref")
        case .id: self.init(code: "invalid_value", detail: "The id can't be used.")
        case .dedupeKey: self.init(code: "invalid_value", detail: "The dedupe key is too long.")
        }
    }
}
