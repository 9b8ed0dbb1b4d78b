extension LineRefusal {
    /// What the queue itself refuses.
    package init(_ refusal: EnqueueResult.Refusal) {
        switch refusal {
        case .expiresTooEarly:
            self.init(
                code: "expires_too_early", detail: "The line has expired already.", place: "expires",
                remedy: "Give it a later time, or a duration such as 2h.")
        case .timeOutOfRange:
            self.init(code: "invalid_value", detail: "The time is out of range.", place: "expires")
        case .target: self.init(code: "invalid_value", detail: "The token is empty or too long.", place: "token")
        case .payload:
            self.init(code: "invalid_value", detail: "The payload is empty or too long.", place: "payload")
        case .variables: self.init(code: "invalid_value", detail: "The values are too long.", place: "vars")
        case .push:
            self.init(
                code: "invalid_value", detail: "The topic, the ref and the other details are too long.",
                place: "ref")
        case .dedupeKey: self.init(code: "invalid_value", detail: "The dedupe key is too long.")
        }
    }
}
