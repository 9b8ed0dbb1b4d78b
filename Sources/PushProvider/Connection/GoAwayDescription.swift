internal import PushWire

/// Describes a GOAWAY for people: with the reason in its JSON, or its text, or its code.
enum GoAwayDescription {
    /// The reason in its JSON, if there is one.
    static func reason(of goAway: HTTP2GoAway) -> RejectionReason? {
        goAway.debugData.isEmpty ? nil : ReasonBody(goAway.debugData).reason
    }

    static func text(of goAway: HTTP2GoAway) -> String {
        let code = HTTP2ErrorCode(rawValue: goAway.errorCode).description
        if goAway.debugData.isEmpty { return "GOAWAY \(code)" }
        if let reason = reason(of: goAway) {
            return "GOAWAY \(code), \(PeerText.printable(reason.rawValue))"
        }
        return "GOAWAY \(code), \"\(PeerText.printable(String(decoding: goAway.debugData, as: UTF8.self)))\""
    }
}
