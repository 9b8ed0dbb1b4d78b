import APNSVocabulary
import MockAPNs
import PushJSON
import PushTime

/// The JSON of a connection.
enum ConnectionForm {
    static func write(_ record: MockConnectionRecord, to writer: inout JSONWriter, isWhole: Bool) {
        writer.object { writer in
            writer.member("number", record.number)
            writer.member("opened_at", record.openedAt.rfc3339)
            writer.member("established_at", record.establishedAt?.rfc3339)
            writer.member("is_open", record.end == nil)
            writer.member("went_silent_at", record.wentSilentAt?.rfc3339)
            writer.member("peer", record.peer)
            writer.member("is_proxied") { $0.bool(record.isProxied) }
            writer.member("apple_host", record.appleHost)
            writer.member("http2_by_alpn") { writer in
                if let agreed = record.agreedOnHTTP2 { writer.bool(agreed) } else { writer.null() }
            }
            writer.member("certificate", record.certificate?.commonName)
            writer.member("certificate_sha256", record.certificate?.sha256)
            writer.member("requests", record.requestCount)
            writer.member("streams", record.streamCount)
            writer.member("most_open_streams", record.mostOpenStreams)
            writer.member("early_streams", record.earlyStreamCount)
            writer.member("resets_received", record.resetCount)
            writer.member("pings_received", record.pingCount)
            writer.member("provider_tokens") { writer in
                writer.array(record.providerTokens) { writer, token in
                    writer.object {
                        $0.member("key_id", token.keyID)
                        $0.member("team_id", token.teamID)
                        $0.member("issued_at", token.issuedAt.rfc3339)
                        $0.member("first_seen", token.firstSeen.rfc3339)
                    }
                }
            }
            if let end = record.end {
                writer.member("end") {
                    $0.object {
                        $0.member("at", end.at.rfc3339)
                        $0.member("side", end.side.rawValue)
                        $0.member("how", end.how)
                    }
                }
            }
            if isWhole { writeDetails(of: record, to: &writer) }
        }
    }

    private static func write(_ counts: [MockFault.Frame.Kind: Int], to writer: inout JSONWriter) {
        writer.object { writer in
            for (type, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.member(type.description, count)
            }
        }
    }

    private static func writeDetails(of record: MockConnectionRecord, to writer: inout JSONWriter) {
        writer.member("settings_sent") { writer in
            writer.array(record.settings) { writer, use in
                writer.object {
                    $0.member("at", use.sentAt.rfc3339)
                    $0.member("acknowledged_at", use.acknowledgedAt?.rfc3339)
                    $0.member("values") { write(use.settings, to: &$0) }
                }
            }
        }
        writer.member("settings_received") { writer in
            if let settings = record.settingsReceived { write(settings, to: &writer) } else { writer.null() }
        }
        if let windows = record.windows {
            writer.member("windows") {
                $0.object {
                    $0.member("receiving", windows.receiving)
                    $0.member("sending", windows.sending)
                }
            }
        }
        writer.member("frames_received") { write(record.framesReceived, to: &$0) }
        writer.member("frames_sent") { write(record.framesSent, to: &$0) }
        writer.member("goaways_sent") { $0.array(record.goAwaysSent) { write($1, to: &$0) } }
        writer.member("goaways_received") { $0.array(record.goAwaysReceived) { write($1, to: &$0) } }
        writer.member("faults") { writer in
            writer.array(record.faults) { writer, fault in
                writer.object {
                    $0.member("id", fault.id.number)
                    $0.member("name", fault.name)
                }
            }
        }
        writer.member("recent_streams") { $0.array(record.streams.suffix(100)) { write($1, to: &$0) } }
    }

    private static func write(_ settings: MockFault.Settings, to writer: inout JSONWriter) {
        writer.object {
            $0.member("max_concurrent_streams", settings.maxConcurrentStreams.map(Int.init))
            $0.member("initial_window_size", settings.initialWindowSize.map(Int.init))
            $0.member("max_frame_size", settings.maxFrameSize.map(Int.init))
            $0.member("max_header_list_size", settings.maxHeaderListSize.map(Int.init))
            $0.member("header_table_size", settings.headerTableSize.map(Int.init))
        }
    }

    private static func write(_ goAway: MockGoAwayUse, to writer: inout JSONWriter) {
        writer.object {
            $0.member("at", goAway.at.rfc3339)
            $0.member("last_stream_id", Int(goAway.lastStreamID))
            $0.member("code", "\(goAway.code)")
            $0.member("text", goAway.text)
        }
    }

    /// Writes a stream: what the client sent on it, and how it ended.
    static func write(_ stream: MockStreamRecord, to writer: inout JSONWriter) {
        writer.object { writer in
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
            writer.member("frames") { writer in
                writer.array(stream.frames) { writer, frame in
                    writer.object {
                        $0.member("at", frame.at.rfc3339)
                        $0.member("type", frame.type.description)
                        $0.member("direction", frame.isSent ? "sent" : "received")
                        $0.member("bytes", frame.byteCount)
                        $0.member("ends_stream", frame.endsStream)
                    }
                }
            }
        }
    }
}
