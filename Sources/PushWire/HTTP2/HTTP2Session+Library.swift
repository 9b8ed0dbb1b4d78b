internal import CNGHTTP2

extension HTTP2Session {
    /// The version of nghttp2, for example `1.52.0`. It is read at run time, so it is the installed library.
    package static var libraryVersion: String {
        nghttp2_version(0).map { String(cString: $0.pointee.version_str) } ?? "unknown"
    }

    static func makeLibrarySession(
        role: Role, limits: Limits, allocator: LibraryAllocator
    ) throws(HTTP2Error) -> OpaquePointer {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var session: OpaquePointer?
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else {
            throw outOfMemory
        }
        install(callbacks)
        if role == .server { nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, beganFrame) }
        // The library stores closed streams for priorities, which APNs ignores, and only in some versions. A frame on a
        // stream that the client has finished is noticed by `beganFrame`.
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_stream_reset_rate_limit(options, limits.resetBurst, limits.resetsPerSecond)
        nghttp2_option_set_max_continuations(options, limits.continuations)
        nghttp2_option_set_max_outbound_ack(options, limits.unsentAnswersToControl)
        // A header value with a space at its end is checked like any other value.
        if role == .server { nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1) }
        // The session keeps a copy.
        var libraryAllocator = allocator.callbacks
        let code =
            switch role {
            case .client: nghttp2_session_client_new3(&session, callbacks, nil, options, &libraryAllocator)
            case .server: nghttp2_session_server_new3(&session, callbacks, nil, options, &libraryAllocator)
            }
        guard code == 0, let session else { throw outOfMemory }
        return session
    }

    private static var outOfMemory: HTTP2Error {
        HTTP2Error(code: .internalFailure, operation: "starting HTTP/2", detail: "no memory")
    }

    private static func install(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beganHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, receivedHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, receivedData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, receivedFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closedStream)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, receivedInvalidFrame)
        nghttp2_session_callbacks_set_error_callback2(callbacks, complained)
    }
}

extension HTTP2Settings {
    func libraryEntries(role: HTTP2Session.Role) -> [nghttp2_settings_entry] {
        var entries: [nghttp2_settings_entry] = []
        func add(_ id: nghttp2_settings_id, _ value: UInt32?) {
            guard let value else { return }
            entries.append(nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: value))
        }
        // The client forbids server push. A server does not send this setting.
        if role == .client { add(NGHTTP2_SETTINGS_ENABLE_PUSH, 0) }
        add(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, headerTableSize)
        // A server counts streams itself: see `StreamLimit`.
        let streams =
            role == .server ? maxConcurrentStreams.map { _ in StreamLimit.unknownToTheLibrary } : maxConcurrentStreams
        add(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams)
        add(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize)
        add(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, maxFrameSize)
        add(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListSize)
        return entries
    }

    /// Reads the current settings of the peer from a session.
    init(inForceIn session: OpaquePointer?) {
        func value(_ id: nghttp2_settings_id) -> UInt32? {
            let value = nghttp2_session_get_remote_settings(session, id)
            return value == .max ? nil : value
        }
        self.init(
            maxConcurrentStreams: value(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
            initialWindowSize: value(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE),
            maxHeaderListSize: value(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE),
            headerTableSize: value(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE),
            maxFrameSize: value(NGHTTP2_SETTINGS_MAX_FRAME_SIZE)
        )
    }
}
