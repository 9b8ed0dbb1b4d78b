import PushPlatform
internal import PushWire

/// What has happened on a connection since its record was updated: the frames of both sides, and streams that have ended.
struct RecordNotes {
    private(set) var frames: [HTTP2FrameNote] = []
    private var endedStreams: [(id: Int32, end: MockStreamRecord.End)] = []
    private var notedRequests = 0
    private var hasNotedEarlyStreams = false
    private var hasNotedIgnoredGoAway = false
    private var notedStreams = 0

    mutating func ended(_ end: HTTP2StreamEnd) {
        switch end.cause {
        case .answered: endedStreams.append((end.streamID, .answered))
        case .resetByPeer(let code):
            endedStreams.append((end.streamID, .resetByClient(MockHTTP2Code(rawValue: code))))
        case .resetHere(let code): endedStreams.append((end.streamID, .resetByMock(MockHTTP2Code(rawValue: code))))
        case .unprocessed, .connectionLost: break
        }
    }

    mutating func takeFrames(of http2: HTTP2Session) { http2.takeFrameNotes(into: &frames) }

    /// Updates the record with everything since the last time.
    mutating func update(_ place: ConnectionPlace, _ http2: HTTP2Session, requestCount: Int) {
        guard !frames.isEmpty || !endedStreams.isEmpty || requestCount != notedRequests else { return }
        notedRequests = requestCount
        place.changeRecord { record in
            record.noted(frames, at: .now)
            for (id, end) in endedStreams { record.ended(id, end) }
            record.maximumOpenStreams = http2.maximumOpenStreams
            record.requestCount = requestCount
            record.earlyStreamCount = http2.earlyStreams
            record.settingsReceived = http2.peerSettings.map(MockFault.Settings.init)
            let windows = http2.windows
            record.windows = MockConnectionWindows(receiving: windows.receiving, sending: windows.sending)
        }
        endedStreams.removeAll(keepingCapacity: true)
    }

    /// Whether the client has opened a stream too long after the mock's GOAWAY; `true` once.
    ///
    /// A client needs a moment to receive the GOAWAY, so streams of the first second after it do not count.
    mutating func isFirstIgnoredGoAway(_ http2: HTTP2Session, sentAt sent: ContinuousClock.Instant?) -> Bool {
        let begun = http2.begunStreams
        defer { notedStreams = begun }
        guard begun > notedStreams, !hasNotedIgnoredGoAway, let sent, sent.duration(to: .now) > .seconds(1) else {
            return false
        }
        hasNotedIgnoredGoAway = true
        return true
    }

    /// Whether the client has opened more streams than SETTINGS allow, before it acknowledged them; `true` once.
    mutating func isFirstEarlyStream(_ http2: HTTP2Session) -> Bool {
        guard http2.earlyStreams > 0, !hasNotedEarlyStreams else { return false }
        hasNotedEarlyStreams = true
        return true
    }
}
