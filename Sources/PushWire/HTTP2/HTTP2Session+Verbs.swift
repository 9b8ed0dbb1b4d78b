internal import CNGHTTP2

/// What a session is told to do.
extension HTTP2Session {
    /// How many streams the client role may open now: 0 before the server's settings and after its GOAWAY.
    package var freeStreams: Int {
        isGoingAway ? 0 : max(0, allowedStreams - openStreams)
    }

    /// How many streams the client role may have open at a time; 0 before the server's settings.
    package var allowedStreams: Int {
        guard let peerSettings else { return 0 }
        return min(Int(peerSettings.maxConcurrentStreams ?? .max), limits.openStreams)
    }

    /// Client role: how many bytes of further bodies go out at once. More would wait in here for the peer's window, in
    /// streams that are open already.
    package var bodyRoom: Int {
        Int(nghttp2_session_get_remote_window_size(session)) - streams.unframedBodyBytes
    }

    /// The most that fields of one request are, in bytes.
    private static let mostFieldBytes = 64 * 1024

    /// Opens a stream with a request.
    ///
    /// Its fields come in three parts: those that all requests share (``Limits/commonFields``), its own, and the credential that
    /// all requests of half an hour share. Together they begin with the pseudo-headers.
    ///
    /// - Parameters:
    ///   - request: The request's own fields, and its body.
    ///   - owner: Keeps them where they are; it is kept until the stream is over.
    ///   - credential: The last fields.
    ///   - tag: What the stream is known by.
    /// - Returns: The id of the stream, or `nil` when none is free: the request was not taken. Fields that no peer would
    ///   take end as unprocessed at once, with the id 0.
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func submitRequest(
        _ request: OutgoingRequest, owner: AnyObject, credential: KeptRequest?, tag: Int
    ) throws(HTTP2Error) -> Int32? {
        guard role == .client, freeStreams > 0 else { return nil }
        let stream = streams.open(id: 0, tag: tag)
        stream.setRequest(request, owner: owner, credential: credential)
        streams.unframedBodyBytes += request.body.count
        let fieldBytes =
            limits.commonFields.outgoing.fields.count + request.fields.count + stream.credentialFields.count
        guard fieldBytes <= Self.mostFieldBytes else {
            events.append(.streamEnded(stream.end(.unprocessed)))
            streams.close(stream)
            return 0
        }
        let streamData = Unmanaged.passUnretained(stream).toOpaque()
        // The library opens the stream; the fields are written into its frame by `HeaderFrames`.
        let id = withBodyProvider(stream, isEmpty: request.body.isEmpty, read: readRequestBody) {
            nghttp2_submit_request(session, nil, nil, 0, $0, streamData)
        }
        guard id > 0 else {
            streams.close(stream)
            // The ids of this connection are used up: another connection has new ones.
            if id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue {
                isGoingAway = true
                return nil
            }
            throw failure("opening a stream", id)
        }
        stream.id = id
        return id
    }

    /// Server role: answers a request.
    ///
    /// - Returns: Whether the stream is there. One that is gone is passed over.
    /// - Throws: ``HTTP2Error`` when there is no memory.
    @discardableResult
    package func submitResponse(
        _ fields: OutgoingFields,
        body: [UInt8] = [],
        on streamID: Int32
    ) throws(HTTP2Error) -> Bool {
        guard let stream = stream(streamID) else { return false }
        answerIsSubmitted(stream)
        stream.outgoingBody = body
        stream.answerFields = fields
        let code = withBodyProvider(stream, isEmpty: body.isEmpty, read: readAnswerBody) {
            nghttp2_submit_response(session, streamID, nil, 0, $0)
        }
        if code != 0 { throw failure("answering", code) }
        return true
    }

    /// Server role: begins an answer and leaves its end open; a reset can follow. A stream that is gone is passed over.
    ///
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func beginResponse(_ fields: OutgoingFields, on streamID: Int32) throws(HTTP2Error) {
        guard let stream = stream(streamID) else { return }
        answerIsSubmitted(stream)
        stream.answerFields = fields
        try submitSection(on: streamID)
    }

    /// Has the library send a HEADERS frame of an answer, whose fields it does not know.
    func submitSection(on streamID: Int32, endsStream: Bool = false) throws(HTTP2Error) {
        let flags = endsStream ? NGHTTP2_FLAG_END_STREAM : NGHTTP2_FLAG_NONE
        let code = nghttp2_submit_headers(session, UInt8(flags.rawValue), streamID, nil, nil, 0, nil)
        if code != 0 { throw failure("answering", code) }
    }

    /// Server role: the newest stream that was taken, 0 before the first.
    package var newestStreamID: Int32 { nghttp2_session_get_last_proc_stream_id(session) }

    /// Whether a stream is there that can be answered or reset.
    package func hasStream(_ streamID: Int32) -> Bool { stream(streamID) != nil }

    /// Resets a stream. One that is over is passed over; one that was not sent yet never will be, and ends here.
    package func reset(_ streamID: Int32, code: HTTP2ErrorCode = .cancel) {
        if let stream = stream(streamID) {
            stream.isResetOnRequest = true
        } else {
            // While the peer's limit holds a request back, the library would not tell its end.
            guard let unsent = streams.unsent(streamID) else { return }
            unsent.reported = true
            events.append(.streamEnded(unsent.end(.resetHere(code.rawValue))))
        }
        _ = nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, code.rawValue)
    }

    /// Asks the peer for a sign of life.
    package func ping(_ payload: UInt64) {
        withUnsafeBytes(of: payload.bigEndian) { bytes in
            _ = nghttp2_submit_ping(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
        }
    }

    /// Gives the peer back at once what it has used of the connection's window. By itself the library waits until that is half
    /// of it, so that the peer has only half of it to use.
    package func returnWindow() {
        let used = nghttp2_session_get_effective_recv_data_length(session)
        guard used > 0 else { return }
        _ = nghttp2_submit_window_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, used)
    }

    /// Says that no new streams are taken.
    ///
    /// `lastStreamID` is the last stream that this side processed or will process, the newest one by default.
    package func goAway(
        lastStreamID: Int32? = nil,
        code: HTTP2ErrorCode = .noError,
        debugData: [UInt8] = []
    ) {
        if let lastStreamID { clientStreams.lastTaken = min(clientStreams.lastTaken, lastStreamID) }
        _ = debugData.withUnsafeBufferPointer { data in
            nghttp2_submit_goaway(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session),
                code.rawValue,
                data.baseAddress,
                data.count
            )
        }
    }

    /// Announces settings, at the beginning and again whenever they change.
    ///
    /// - Throws: ``HTTP2Error`` when the values are not legal or there is no memory.
    package func announceSettings(_ settings: HTTP2Settings) throws(HTTP2Error) {
        let entries = settings.libraryEntries(role: role)
        if role == .server { clientStreams.limit.announced(settings.maxConcurrentStreams) }
        let code = entries.withUnsafeBufferPointer { entries in
            nghttp2_submit_settings(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                entries.baseAddress,
                entries.count
            )
        }
        if code != 0 { throw failure("announcing settings", code) }
    }

    /// Ends what is still open, when the connection is over: the library does not do it by itself.
    package func endAllStreams() {
        isGoingAway = true
        for stream in streams.all where stream.isOpen && !stream.reported {
            stream.reported = true
            events.append(.streamEnded(stream.end(.connectionLost)))
        }
    }

    /// Without a provider the headers end the stream.
    private func withBodyProvider(
        _ stream: HTTP2Stream, isEmpty: Bool, read: @escaping nghttp2_data_source_read_callback,
        _ body: (UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32 {
        guard !isEmpty else { return body(nil) }
        let provider = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
            read_callback: read
        )
        return withUnsafePointer(to: provider, body)
    }
}
