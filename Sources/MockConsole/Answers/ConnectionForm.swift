import APNSVocabulary
import MockAPNs
import PushJSON
import PushTime

enum ConnectionForm {
    static func write(_ record: MockConnectionRecord, to writer: inout JSONWriter, isWhole: Bool) {
        writer.member("number", record.number)
        writer.member("opened_at", record.openedAt.rfc3339)
        writer.member("established_at", record.establishedAt?.rfc3339)
        writer.member("is_open", record.end == nil)
        writer.member("went_silent_at", record.wentSilentAt?.rfc3339)
        writer.member("peer", record.peer)
        writer.member("is_proxied", record.isProxied)
        writer.member("apple_host", record.appleHost)
        writer.member("http2_by_alpn") { writer in
            if let agreed = record.agreedOnHTTP2 { writer.bool(agreed) } else { writer.null() }
        }
        writer.member("certificate", record.certificate?.commonName)
        writer.member("certificate_sha256", record.certificate?.sha256)
        writer.member("requests", record.requestCount)
        writer.member("streams", record.streamCount)
        writer.member("most_open_streams", record.maximumOpenStreams)
        writer.member("early_streams", record.earlyStreamCount)
        writer.member("resets_received", record.resetCount)
        writer.member("pings_received", record.pingCount)
        writer.objects("provider_tokens", record.providerTokens) { writer, token in
            writer.member("key_id", token.keyID)
            writer.member("team_id", token.teamID)
            writer.member("issued_at", token.issuedAt.rfc3339)
            writer.member("first_seen", token.firstSeen.rfc3339)
        }
        writer.object("end", of: record.end) { writer, end in
            writer.member("at", end.at.rfc3339)
            writer.member("side", end.side.rawValue)
            writer.member("how", end.how)
        }
        if isWhole { writeDetails(of: record, to: &writer) }
    }

    private static func write(_ counts: [MockFault.Frame.Kind: Int], to writer: inout JSONWriter) {
        for (type, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.member(type.description, count)
        }
    }

    private static func writeDetails(of record: MockConnectionRecord, to writer: inout JSONWriter) {
        writer.objects("settings_sent", record.settings) { writer, use in
            writer.member("at", use.sentAt.rfc3339)
            writer.member("acknowledged_at", use.acknowledgedAt?.rfc3339)
            writer.object("values") { write(use.settings, to: &$0) }
        }
        if let settings = record.settingsReceived {
            writer.object("settings_received") { write(settings, to: &$0) }
        } else {
            writer.member("settings_received") { $0.null() }
        }
        writer.object("windows", of: record.windows) { writer, windows in
            writer.member("receiving", windows.receiving)
            writer.member("sending", windows.sending)
        }
        writer.object("frames_received") { write(record.framesReceived, to: &$0) }
        writer.object("frames_sent") { write(record.framesSent, to: &$0) }
        writer.objects("goaways_sent", record.goAwaysSent) { write($1, to: &$0) }
        writer.objects("goaways_received", record.goAwaysReceived) { write($1, to: &$0) }
        writer.objects("faults", record.faults) { writer, fault in
            writer.member("id", fault.id.number)
            writer.member("name", fault.name)
        }
        writer.objects("recent_streams", record.streams.suffix(100)) { write($1, to: &$0) }
    }

    private static func write(_ settings: MockFault.Settings, to writer: inout JSONWriter) {
        writer.member("max_concurrent_streams", settings.maxConcurrentStreams.map(Int.init))
        writer.member("initial_window_size", settings.initialWindowSize.map(Int.init))
        writer.member("max_frame_size", settings.maxFrameSize.map(Int.init))
        writer.member("max_header_list_size", settings.maxHeaderListSize.map(Int.init))
        writer.member("header_table_size", settings.headerTableSize.map(Int.init))
    }

    private static func write(_ goAway: MockGoAwayUse, to writer: inout JSONWriter) {
        writer.member("at", goAway.at.rfc3339)
        writer.member("last_stream_id", Int(goAway.lastStreamID))
        writer.member("code", "\(goAway.code)")
        writer.member("text", goAway.text)
    }

    static func write(_ stream: MockStreamRecord, to writer: inout JSONWriter) {
        writer.member("id", Int(stream.id))
        writer.member("opened_at", stream.openedAt.rfc3339)
        writer.member(
            "end",
            stream.end.map { end in
                switch end {
                case .answered: "answered"
                case .resetByClient(let code): "reset by the client: \(code)"
                case .resetByMock(let code): "reset by the mock: \(code)"
                }
            })
        writer.member("fault", stream.fault?.id.number)
        writer.objects("frames", stream.frames) { writer, frame in
            writer.member("at", frame.at.rfc3339)
            writer.member("type", frame.type.description)
            writer.member("direction", frame.isSent ? "sent" : "received")
            writer.member("bytes", frame.byteCount)
            writer.member("ends_stream", frame.endsStream)
        }
    }
}
