internal import CNGHTTP2

extension HTTP2Session {
    /// Client role: the number of streams that may be opened now; 0 before the server's settings and after its GOAWAY.
    package var freeStreams: Int {
        isGoingAway ? 0 : max(0, allowedStreams - openStreams)
    }

    /// Client role: the maximum number of open streams; 0 before the server's settings.
    package var allowedStreams: Int {
        guard let peerSettings else { return 0 }
        return min(Int(peerSettings.maxConcurrentStreams ?? .max), limits.openStreams)
    }

    /// Client role: the number of bytes of further bodies that can be sent at once. More would wait for the peer's
    /// window, in streams that are already open.
    package var bodyRoom: Int {
        Int(nghttp2_session_get_remote_window_size(session)) - streams.unframedBodyBytes
    }

    /// The maximum size of the fields of one request, in bytes. A request with more ends as unprocessed.
    private static let maximumFieldBytes = 64 * 1024

    /// Opens a stream with a request.
    ///
    /// The fields have four parts: the method, the fields of all requests (``Limits/commonFields``), the fields of this request,
    /// and the provider token, which all requests of half an hour share. The pseudo-headers come first.
    ///
    /// - Parameters:
    ///   - request: The fields of this request, and its body.
    ///   - owner: The owner of their memory. It is retained until the stream ends.
    ///   - credential: The last fields.
    ///   - tag: A number of the caller that identifies the stream.
    /// - Returns: The id of the stream; `nil` if no stream is free, so the request was not submitted; 0 if the fields
    ///   are too large, so the stream ended as unprocessed at once.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    package func submitRequest(
        _ request: OutgoingRequest, owner: AnyObject, credential: KeptRequest?, tag: Int
    ) throws(HTTP2Error) -> Int32? {
        guard role == .client, freeStreams > 0 else { return nil }
        let stream = streams.open(id: 0, tag: tag)
        stream.setRequest(request, owner: owner, credential: credential)
        streams.unframedBodyBytes += request.body.count
        let fieldBytes =
            limits.commonFields.outgoing.fields.count + request.fields.count + stream.credentialFields.count
        guard fieldBytes <= Self.maximumFieldBytes else {
            events.append(.streamEnded(stream.end(.unprocessed)))
            streams.close(stream)
            return 0
        }
        let streamData = Unmanaged.passUnretained(stream).toOpaque()
        // The library opens the stream. `HeaderFrames` writes the fields into its frame.
        let id = withBodyProvider(stream, isEmpty: request.body.isEmpty, read: readRequestBody) {
            nghttp2_submit_request(session, nil, nil, 0, $0, streamData)
        }
        guard id > 0 else {
            streams.close(stream)
            // The ids of this connection are used up. Another connection has new ids.
            if id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue {
                isGoingAway = true
                return nil
            }
            throw failure("opening a stream", id)
        }
        stream.id = id
        return id
    }

    /// Server role: submits the answer to a request.
    ///
    /// - Parameters:
    ///   - fields: The header fields.
    ///   - body: The body.
    ///   - streamID: The stream.
    /// - Returns: Whether the stream exists. Otherwise, nothing is sent.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    @discardableResult
    package func submitResponse(
        _ fields: OutgoingFields,
        body: [UInt8] = [],
        on streamID: Int32
    ) throws(HTTP2Error) -> Bool {
        guard let stream = stream(streamID) else { return false }
        answerIsSubmitted(stream)
        stream.answer.body = body
        stream.answer.fields = fields
        let code = withBodyProvider(stream, isEmpty: body.isEmpty, read: readAnswerBody) {
            nghttp2_submit_response(session, streamID, nil, 0, $0)
        }
        if code != 0 { throw failure("answering", code) }
        return true
    }

    /// Server role: begins an answer without its end; a reset can follow. A stream that no longer exists is ignored.
    ///
    /// - Parameters:
    ///   - fields: The header fields.
    ///   - streamID: The stream.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    package func beginResponse(_ fields: OutgoingFields, on streamID: Int32) throws(HTTP2Error) {
        guard let stream = stream(streamID) else { return }
        answerIsSubmitted(stream)
        stream.answer.fields = fields
        try submitSection(on: streamID)
    }

    /// Submits a HEADERS frame of an answer to the library, without its fields.
    func submitSection(on streamID: Int32, endsStream: Bool = false) throws(HTTP2Error) {
        let flags = endsStream ? NGHTTP2_FLAG_END_STREAM : NGHTTP2_FLAG_NONE
        let code = nghttp2_submit_headers(session, UInt8(flags.rawValue), streamID, nil, nil, 0, nil)
        if code != 0 { throw failure("answering", code) }
    }

    /// Server role: the id of the newest accepted stream; 0 before the first.
    package var newestStreamID: Int32 { nghttp2_session_get_last_proc_stream_id(session) }

    /// Whether a stream exists, so that it can be answered or reset.
    package func hasStream(_ streamID: Int32) -> Bool { stream(streamID) != nil }

    /// Resets a stream. An ended stream is ignored. A request that was not sent yet ends at once, and is never sent.
    package func reset(_ streamID: Int32, code: HTTP2ErrorCode = .cancel) {
        if let stream = stream(streamID) {
            stream.isResetOnRequest = true
        } else {
            // While a request waits because of the peer's limit, the library does not report its end.
            guard let unsent = streams.unsent(streamID) else { return }
            unsent.reported = true
            events.append(.streamEnded(unsent.end(.resetHere(code.rawValue))))
        }
        _ = nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, code.rawValue)
    }

    package func ping(_ payload: UInt64) {
        withUnsafeBytes(of: payload.bigEndian) { bytes in
            _ = nghttp2_submit_ping(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
        }
    }

    /// Opens the connection's window completely for the peer. The library alone waits until half of the window is used.
    package func returnWindow() {
        let used = nghttp2_session_get_effective_recv_data_length(session)
        guard used > 0 else { return }
        _ = nghttp2_submit_window_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, used)
    }

    /// Sends a GOAWAY: this side accepts no new streams.
    ///
    /// - Parameters:
    ///   - lastStreamID: The last stream that this side processed or will process; by default the newest one.
    ///   - code: The error code.
    ///   - debugData: Further data for the peer.
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

    /// Announces settings, at the beginning and after each change.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: ``HTTP2Error`` if a value is invalid or there is no memory.
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

    /// Ends all open streams after the end of the connection. The library does not do this.
    package func endAllStreams() {
        isGoingAway = true
        for stream in streams.all where stream.isOpen && !stream.reported {
            stream.reported = true
            events.append(.streamEnded(stream.end(.connectionLost)))
        }
    }

    /// Calls the closure with a provider for the body, or with `nil` for an empty body: then the headers end the
    /// stream.
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
