import PushPlatform
internal import PushWire

/// Updates the record of one connection: what the client has sent, and which streams have ended.
final class ConnectionRecorder {
    private unowned(unsafe) let connection: ServerConnection
    private var frameNotes: [HTTP2FrameNote] = []
    private var notedRequests = 0
    private var endedStreams: [(id: Int32, end: MockStreamRecord.End)] = []
    private var hasNotedEarlyStreams = false
    private var hasNotedIgnoredGoAway = false
    private var notedStreams = 0

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    func ended(_ end: HTTP2StreamEnd) {
        switch end.cause {
        case .answered: endedStreams.append((end.streamID, .answered))
        case .resetByPeer(let code):
            endedStreams.append((end.streamID, .resetByClient(MockHTTP2Code(rawValue: code))))
        case .resetHere(let code): endedStreams.append((end.streamID, .resetByMock(MockHTTP2Code(rawValue: code))))
        case .unprocessed, .connectionLost: break
        }
    }

    /// Updates the record.
    func note() {
        connection.wire.http2.takeFrameNotes(into: &frameNotes)
        if !connection.isOver { connection.limits.count(frameNotes) }
        connection.limits.reportUnfinished()
        noteEarlyStreams()
        noteStreamsAfterGoAway()
        guard !frameNotes.isEmpty || !endedStreams.isEmpty || connection.requests.count != notedRequests else { return }
        notedRequests = connection.requests.count
        connection.state.records.change(connection.number) { record in
            record.noted(frameNotes, at: .now)
            for (id, end) in endedStreams { record.ended(id, end) }
            record.mostOpenStreams = connection.wire.http2.mostOpenStreams
            record.requestCount = connection.requests.count
            record.earlyStreamCount = connection.wire.http2.earlyStreams
            record.settingsReceived = connection.wire.http2.peerSettings.map(MockFaultSettings.init)
            let windows = connection.wire.http2.windows
            record.windows = MockConnectionWindows(receiving: windows.receiving, sending: windows.sending)
        }
        endedStreams.removeAll(keepingCapacity: true)
    }

    /// A client needs a moment to receive the GOAWAY, so streams of the first second after it do not count.
    private func noteStreamsAfterGoAway() {
        let begun = connection.wire.http2.begunStreams
        defer { notedStreams = begun }
        guard begun > notedStreams, !hasNotedIgnoredGoAway, let sent = connection.goAwayTime,
            sent.duration(to: .now) > .seconds(1)
        else { return }
        hasNotedIgnoredGoAway = true
        connection.state.violations.add(
            [BehaviourRule.ignoredGoAway.violation("The client opened a stream more than a second after the GOAWAY.")],
            connection: connection.number, arrival: nil, at: connection.state.now)
    }

    private func noteEarlyStreams() {
        guard connection.wire.http2.earlyStreams > 0, !hasNotedEarlyStreams else { return }
        hasNotedEarlyStreams = true
        let configuration = connection.state.configuration
        let consequence =
            configuration.variants.refusesEarlyStreams
            ? "The mock resets these streams with REFUSED_STREAM."
            : "The mock serves them. \(configuration.remedyText(.refuseEarlyStreams))"
        connection.logger.notice(
            """
            connection \(connection.number): the client opened more streams than SETTINGS allow, before it acknowledged \
            the SETTINGS. \(consequence)
            """)
    }
}
