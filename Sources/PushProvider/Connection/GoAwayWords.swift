internal import PushWire

/// What a GOAWAY says, for people: the reason in its JSON, or its text, or its code.
enum GoAwayWords {
    static func text(of goAway: HTTP2GoAway) -> String {
        let code = HTTP2ErrorCode(rawValue: goAway.errorCode).description
        if goAway.debugData.isEmpty { return "GOAWAY \(code)" }
        if let reason = ReasonBody(goAway.debugData).reason { return "GOAWAY \(code), \(reason)" }
        let text = String(decoding: goAway.debugData.prefix(200), as: UTF8.self)
        let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : Character($0) }
        return "GOAWAY \(code), \"\(String(plain))\""
    }
}
