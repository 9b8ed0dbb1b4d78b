internal import PushWire

/// Updates the record of one connection: what the client has sent, and which streams have ended.
final class ConnectionRecorder {
    private unowned let connection: ServerConnection
    private var frameNotes: [HTTP2FrameNote] = []
    private var notedRequests = 0
    private var endedStreams: [(id: Int32, end: StreamRecord.End)] = []
    private var hasNotedEarlyStreams = false

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    func ended(_ end: HTTP2StreamEnd) {
        switch end.cause {
        case .answered: endedStreams.append((end.streamID, .answered))
        case .resetByPeer(let code):
            endedStreams.append((end.streamID, .resetByClient(HTTP2Code(rawValue: code))))
        case .resetHere(let code): endedStreams.append((end.streamID, .resetByMock(HTTP2Code(rawValue: code))))
        case .unprocessed, .connectionLost: break
        }
    }

    /// Updates the record.
    func note() {
        connection.wire.http2.takeFrameNotes(into: &frameNotes)
        if !connection.isOver { connection.limits.count(frameNotes) }
        connection.limits.tellUnfinished()
        noteEarlyStreams()
        guard !frameNotes.isEmpty || !endedStreams.isEmpty || connection.requests.count != notedRequests else { return }
        notedRequests = connection.requests.count
        connection.state.records.change(connection.number) { record in
            record.received(frameNotes, at: .now)
            for (id, end) in endedStreams { record.ended(id, end) }
            record.mostOpenStreams = connection.wire.http2.mostOpenStreams
            record.requestCount = connection.requests.count
            record.earlyStreamCount = connection.wire.http2.earlyStreams
        }
        endedStreams.removeAll(keepingCapacity: true)
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
