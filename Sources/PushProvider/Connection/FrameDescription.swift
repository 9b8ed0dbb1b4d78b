internal import Logging
internal import PushWire

/// Describes an HTTP/2 frame for the log: without bodies, and with secrets and device tokens shortened.
enum FrameDescription {
    /// The message, such as `sent HEADERS`.
    static func message(_ frame: TracedFrame) -> String {
        "\(frame.direction == .sent ? "sent" : "received") \(name(frame))"
    }

    static func metadata(_ frame: TracedFrame) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["stream": "\(frame.streamID)", "length": "\(frame.length)"]
        let flags = flags(frame)
        if !flags.isEmpty { metadata["flags"] = "\(flags.joined(separator: " "))" }
        switch frame.content {
        case .fields(let fields): metadata["fields"] = .array(fields.map { .string(line($0)) })
        case .settings(let settings):
            metadata["settings"] = .array(settings.map { .string("\(settingName($0.id)): \($0.value)") })
        case .reset(let code): metadata["code"] = "\(HTTP2ErrorCode(rawValue: code))"
        case .goAway(let goAway):
            metadata["last_stream"] = "\(goAway.lastStreamID)"
            metadata["code"] = "\(HTTP2ErrorCode(rawValue: goAway.errorCode))"
            let text = String(decoding: goAway.debugData, as: UTF8.self)
            if !text.isEmpty { metadata["text"] = "\(PeerText.printable(text))" }
        case .windowUpdate(let bytes): metadata["window"] = "+\(bytes)"
        case .preface, .opaque: break
        }
        return metadata
    }

    // MARK: Secrets

    private static func line(_ field: TracedFrame.Field) -> String {
        let name = PeerText.printable(field.name)
        return "\(name): \(PeerText.printable(value(field)))"
    }

    private static func value(_ field: TracedFrame.Field) -> String {
        switch field.name.lowercased() {
        case ":path":
            field.value.split(separator: "/", omittingEmptySubsequences: false)
                .map { DeviceToken.shortened(String($0)) }.joined(separator: "/")
        case APNSHeader.authorization, "proxy-authorization", "cookie", "set-cookie": secret(field.value)
        default: field.value
        }
    }

    /// Keeps the scheme and the first letters, which are the same in all provider tokens.
    private static func secret(_ value: String) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1].count >= 40 else { return "… (\(value.count) characters)" }
        return "\(parts[0].prefix(10)) \(parts[1].prefix(6))… (\(parts[1].count) characters)"
    }

    // MARK: Names

    /// RFC 9113 section 6.
    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
        "CONTINUATION",
    ]

    private static func name(_ frame: TracedFrame) -> String {
        if frame.content == .preface { return "PREFACE" }
        return Int(frame.type) < names.count ? names[Int(frame.type)] : "type \(frame.type)"
    }

    private static func flags(_ frame: TracedFrame) -> [String] {
        let known: [(bit: UInt8, name: String)] =
            switch frame.type {
            case 0: [(1, "END_STREAM"), (8, "PADDED")]
            case 1: [(1, "END_STREAM"), (4, "END_HEADERS"), (8, "PADDED"), (0x20, "PRIORITY")]
            case 4, 6: [(1, "ACK")]
            case 5: [(4, "END_HEADERS"), (8, "PADDED")]
            case 9: [(4, "END_HEADERS")]
            default: []
            }
        let others = known.reduce(frame.flags) { $0 & ~$1.bit }
        let names = known.filter { frame.flags & $0.bit != 0 }.map(\.name)
        return others == 0 ? names : names + ["0x" + String(others, radix: 16)]
    }

    /// RFC 9113 section 6.5.2, and settings of later RFCs.
    private static func settingName(_ id: UInt16) -> String {
        switch id {
        case 1: "HEADER_TABLE_SIZE"
        case 2: "ENABLE_PUSH"
        case 3: "MAX_CONCURRENT_STREAMS"
        case 4: "INITIAL_WINDOW_SIZE"
        case 5: "MAX_FRAME_SIZE"
        case 6: "MAX_HEADER_LIST_SIZE"
        case 8: "ENABLE_CONNECT_PROTOCOL"
        case 9: "NO_RFC7540_PRIORITIES"
        default: "setting \(id)"
        }
    }
}

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
