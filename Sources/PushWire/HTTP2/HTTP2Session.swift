internal import CNGHTTP2

/// One side of an HTTP/2 connection, without socket, clock or thread: it converts received bytes to events, and calls
/// to frames.
///
/// Owns one `nghttp2_session`. Only one thread may use it at a time: it has no locks.
///
/// The state of the streams is in ``StreamTable``, ``ClientStreams`` and ``HTTP2Stream``, the HPACK encoding in
/// ``HeaderFrames``. The extensions have one job each: callbacks, calls, limits, refused requests, waiting streams, and
/// the faults of a server.
package final class HTTP2Session {
    package enum Role: Sendable {
        case client
        case server
    }

    package let role: Role
    let limits: Limits

    // Exclusive access is not checked at run time in the types of the hot path. One thread owns them, and no two
    // accesses overlap, so the checks (5 to 8 % of the cost of a send) are not needed.
    @exclusivity(unchecked) private(set) var session: OpaquePointer?
    private let allocator = LibraryAllocator()
    @exclusivity(unchecked) var streams = StreamTable()
    /// Server role only.
    @exclusivity(unchecked) var clientStreams = ClientStreams()
    /// The open stream of the last callback. `streams` owns it.
    @exclusivity(unchecked) var currentStream: Unmanaged<HTTP2Stream>?
    @exclusivity(unchecked) var currentStreamID: Int32 = 0

    /// The stream that was closed last. `streams` owns it.
    @exclusivity(unchecked) var lastClosed: Unmanaged<HTTP2Stream>?

    /// The events that the callbacks recorded, for ``takeEvents(into:)``.
    @exclusivity(unchecked) var events: [HTTP2Event] = []
    /// The frames of both sides, if ``Limits/notesFrames`` is set.
    @exclusivity(unchecked) var frameNotes: [HTTP2FrameNote] = []
    /// The streams that were answered before the whole request was sent.
    @exclusivity(unchecked) var answeredEarly: [Int32] = []
    /// The library's message about the last error.
    @exclusivity(unchecked) var complaint: String?

    /// Server role: the header fields of the request that is being received.
    @exclusivity(unchecked) var section = SectionBuffer()
    @exclusivity(unchecked) var headerFrames = HeaderFrames()
    /// The frames of the library that this side does not send.
    @exclusivity(unchecked) package var withheld: Withheld = []
    /// The tag of the stream that the last frame of ``nextFrame()`` opens; `nil` for every other frame.
    @exclusivity(unchecked) package private(set) var openedTag: Int?

    /// The peer's settings; `nil` until they are received. No request may be sent before.
    @exclusivity(unchecked) package var peerSettings: HTTP2Settings?
    /// Whether no further stream may be opened: the peer has sent GOAWAY, the ids are used up, or the connection has
    /// ended.
    @exclusivity(unchecked) package var isGoingAway = false

    /// Creates a session and queues this side's preface and settings.
    ///
    /// - Parameters:
    ///   - role: The role of this side.
    ///   - limits: The limits for the peer.
    ///   - announces: Whether to queue the settings now. With `false`, the owner announces them before it passes the
    ///     first bytes of the peer, for a server that must know the client first.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    package init(role: Role, limits: Limits = Limits(), announces: Bool = true) throws(HTTP2Error) {
        self.role = role
        self.limits = limits
        session = try HTTP2Session.makeLibrarySession(role: role, limits: limits, allocator: allocator)
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        if limits.firstStreamID > 1 { skipStreamIDs(to: limits.firstStreamID) }
        if announces { try announceSettings(limits.settings) }
    }

    deinit {
        nghttp2_session_del(session)
    }

    // MARK: Figures

    package var openStreams: Int { streams.openCount }
    package var maximumOpenStreams: Int { streams.maximumOpen }
    /// Server role: the number of bytes stored for incomplete requests.
    package var unfinishedBytes: Int { streams.unfinishedBytes }
    /// Server role: the number of requests whose header fields exceeded ``Limits/headerBytes``. Their streams were
    /// reset.
    package var overlongSections: Int { clientStreams.overlongSections }
    /// Server role: the number of streams that this side had to reset or refuse because of the client's data.
    package var forcedResets: Int { clientStreams.forcedResets }
    /// Server role: the number of streams that were opened beyond a limit that the client had not acknowledged.
    package var earlyStreams: Int { clientStreams.early }

    /// Server role: the number of streams that the client has begun, with those that are ignored after a GOAWAY.
    package var begunStreams: Int { clientStreams.begun }
    /// Server role: the number of submitted answers that are in no frame yet.
    package var unsentAnswers: Int { clientStreams.unsentAnswers }
    /// Server role: a stream with a body that is longer than ``Limits/longestBody``.
    package var overlongBody: Int32? { clientStreams.overlongBody }
    /// Server role: whether ``HTTP2Event/headersReceived(_:)`` reports requests whose body is still to come.
    package var reportsHeaders: Bool {
        get { clientStreams.reportsHeaders }
        set { clientStreams.reportsHeaders = newValue }
    }

    /// The number of bytes that the peer may still send on the connection, and that this side may still send to it.
    package var windows: (receiving: Int, sending: Int) {
        (
            Int(nghttp2_session_get_local_window_size(session)), Int(nghttp2_session_get_remote_window_size(session))
        )
    }

    // MARK: Bytes in

    /// Reads bytes from the peer. Get the resulting events with ``takeEvents(into:)``.
    ///
    /// - Parameter bytes: The bytes from the peer.
    /// - Throws: ``HTTP2Error`` if the connection cannot continue. Then call ``endAllStreams()`` for the open streams.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        // Keep the message about the error that ended the session.
        if !isFinished { complaint = nil }
        let count = role == .server ? readAsServer(bytes) : read(bytes)
        resetAnsweredEarly()
        resetRefused()
        endAfterMisusedStream()
        if count < 0 { throw failure("reading HTTP/2", Int32(truncatingIfNeeded: count)) }
    }

    func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        nghttp2_session_mem_recv(session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    package var hasEvents: Bool { !events.isEmpty }

    /// Moves all events, of receiving and of sending, to the end of `taken`.
    package func takeEvents(into taken: inout [HTTP2Event]) {
        guard !events.isEmpty else { return }
        if taken.isEmpty {
            swap(&events, &taken)
        } else {
            taken.append(contentsOf: events)
            events.removeAll(keepingCapacity: true)
        }
    }

    /// Moves the notes about frames to `taken`, and replaces its contents.
    package func takeFrameNotes(into taken: inout [HTTP2FrameNote]) {
        taken.removeAll(keepingCapacity: true)
        swap(&frameNotes, &taken)
    }

    // MARK: Bytes out

    /// Returns the next frame to send.
    ///
    /// - Returns: The frame; `nil` if there is none now. The bytes are valid until the next call of any method.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    package func nextFrame() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        guard limits.notesFrames else { return try makeNextFrame() }
        let frame = try makeNextFrame()
        if let frame, let note = HTTP2FrameNote(sent: frame) { frameNotes.append(note) }
        return frame
    }

    private func makeNextFrame() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        openedTag = nil
        if let more = headerFrames.next() { return more }
        guard let frame = try nextLibraryFrame() else { return nil }
        guard let id = HeaderFrames.streamOpened(by: frame) else { return frame }
        switch role {
        case .client:
            guard let stream = nghttp2_session_get_stream_user_data(session, id) else {
                throw HTTP2Error(code: .internalFailure, operation: "writing HTTP/2", detail: "a stream is missing")
            }
            return Unmanaged<HTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef { stream in
                openedTag = stream.tag
                return headerFrames.begin(
                    id, stream.outgoing?.method, limits.commonFields.outgoing.fields, stream.ownFields,
                    stream.credentialFields, instead: frame)
            }
        case .server:
            guard let stream = streamOfSent(id) else { return frame }
            answerLeaves(stream)
            let fields = stream.answer.takeFields()
            return headerFrames.begin(id, nil, .nothing, fields.memory, .nothing, instead: frame)
        }
    }

    private func nextLibraryFrame() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        while true {
            var pointer: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &pointer)
            if count < 0 { throw failure("writing HTTP/2", Int32(truncatingIfNeeded: count)) }
            guard count > 0, let pointer else { return nil }
            let frame = UnsafeRawBufferPointer(start: pointer, count: count)
            guard withheld.isEmpty || !withheld.holds(frame) else { continue }
            if role == .server { clientStreams.limit.write(into: frame) }
            return frame
        }
    }

    /// Whether neither side has anything left to send, so the connection can be closed.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// The library's message about the error, if it ended the connection by itself.
    package var lastComplaint: String? { complaint }

    // MARK: Streams

    func stream(_ id: Int32) -> HTTP2Stream? {
        guard let pointer = nghttp2_session_get_stream_user_data(session, id) else { return nil }
        return Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Returns the stream of a frame from the library. After the last frame of a stream, the library no longer has the
    /// stream.
    private func streamOfSent(_ id: Int32) -> HTTP2Stream? {
        if let stream = stream(id) { return stream }
        guard let lastClosed = lastClosed?.takeUnretainedValue(), lastClosed.id == id else { return nil }
        return lastClosed
    }

    private func resetAnsweredEarly() {
        guard !answeredEarly.isEmpty else { return }
        for id in answeredEarly where stream(id) != nil { reset(id, code: .noError) }
        answeredEarly.removeAll(keepingCapacity: true)
    }

    /// Skips the stream ids below `id`, for tests of a connection's last stream.
    func skipStreamIDs(to id: Int32) {
        nghttp2_session_set_next_stream_id(session, id)
    }

    // MARK: The library

    /// Converts a code of nghttp2 to an error. Only this function does it.
    func failure(_ operation: String, _ code: Int32) -> HTTP2Error {
        let message = String(cString: nghttp2_strerror(code))
        let kind: HTTP2Error.Code =
            switch code {
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .notHTTP2
            case NGHTTP2_ERR_FLOODED.rawValue: .unsentAnswersToControl
            case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .continuations
            case NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue: .internalFailure
            default: .peerViolation
            }
        return HTTP2Error(code: kind, operation: operation, detail: complaint.map { "\(message) (\($0))" } ?? message)
    }
}

extension HTTP2Stream {
    func end(_ cause: HTTP2StreamEnd.Cause) -> HTTP2StreamEnd {
        HTTP2StreamEnd(streamID: id, tag: tag, cause: cause, response: received.takeResponse())
    }
}

/// Why an HTTP/2 connection cannot continue.
package struct HTTP2Error: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case peerViolation
        /// The peer does not use HTTP/2.
        case notHTTP2
        /// The peer exceeded ``HTTP2Session/Limits/unsentAnswersToControl``.
        case unsentAnswersToControl
        /// The peer exceeded ``HTTP2Session/Limits/continuations``.
        case continuations
        /// The library has no memory or is in an invalid state.
        case internalFailure
    }

    package var code: Code
    package var operation: String
    /// The library's message.
    package var detail: String

    package var description: String { "\(operation): \(detail)" }
}

/// Finds streams that wait for the peer. A silent peer causes no event, so the owner must check them.
extension HTTP2Session {
    /// Client role: the received part of the answer on an open stream; `nil` before its final status. An interim status
    /// (1xx) does not count.
    ///
    /// Call it before the stream is reset. It does not change the stream.
    package func answerSoFar(on streamID: Int32) -> HTTP2Response? {
        guard role == .client, let stream = stream(streamID), !stream.reported, stream.received.finalStatus != nil
        else {
            return nil
        }
        return stream.received.responseSoFar
    }

    /// Server role: the oldest stream with an incomplete request.
    package var oldestUnfinishedRequest: Int32? {
        streams.oldest { !$0.received.peerHasFinished }
    }

    /// Server role: the number of bytes of answers that are in no frame yet.
    package var unsentAnswerBytes: Int { streams.unsentAnswerBytes }

    /// Server role: the oldest stream with an answer that waits, because the peer's window is too small for its body.
    package var oldestUnsentAnswer: Int32? {
        streams.oldest { $0.received.peerHasFinished && $0.outgoingOffset < $0.answer.body.count }
    }
}
