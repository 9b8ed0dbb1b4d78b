extension QueueLineRefusal {
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
        case .dedupeKey: self.init(code: "invalid_value", detail: "The dedupe key is too long.")
        }
    }
}
