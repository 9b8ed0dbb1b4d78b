internal import CNGHTTP2

/// One side of an HTTP/2 connection: bytes in, events out; verbs in, bytes out. No socket, no clock, no thread.
///
/// Owns one `nghttp2_session`. Used by one thread at a time, its owner's: nothing here locks.
package final class HTTP2Session {
    package enum Role: Sendable {
        case client
        case server
    }

    package let role: Role
    let limits: Limits

    // Exclusive access is not checked at run time here and in the other types of the hot path: one thread owns them and no
    // access runs while another does, so the checks (5 to 8 % of the cost of a send) could find nothing.
    @exclusivity(unchecked) private(set) var session: OpaquePointer?
    private let memory = LibraryMemory()
    @exclusivity(unchecked) var streams = StreamTable()
    /// Server role only.
    @exclusivity(unchecked) var clientStreams = ClientStreams()
    /// The open stream that the last callback was about; it is owned by `streams`.
    @exclusivity(unchecked) var currentStream: Unmanaged<HTTP2Stream>?
    @exclusivity(unchecked) var currentStreamID: Int32 = 0

    /// The stream that was closed last; it is owned by `streams`.
    @exclusivity(unchecked) var lastClosed: Unmanaged<HTTP2Stream>?

    /// What the callbacks recorded and ``takeEvents(into:)`` hands out.
    @exclusivity(unchecked) var events: [HTTP2Event] = []
    /// What the peer has sent, frame by frame, where ``Limits/notesFrames`` asks for it.
    @exclusivity(unchecked) var frameNotes: [HTTP2FrameNote] = []
    /// Streams that were answered before all of the request was sent.
    @exclusivity(unchecked) var answeredEarly: [Int32] = []
    /// The library's own words about the last thing that went wrong.
    @exclusivity(unchecked) var complaint: String?

    /// Server role: the header fields that are arriving.
    @exclusivity(unchecked) var section = SectionBuffer()
    @exclusivity(unchecked) var headerFrames = HeaderFrames()
    /// What this side keeps back of the frames that it would send by itself.
    @exclusivity(unchecked) package var withheld: Withheld = []
    /// The tag of the stream that the last frame of ``nextFrame()`` opens, `nil` for every other frame.
    @exclusivity(unchecked) package private(set) var openedTag: Int?

    /// The peer's settings, `nil` until they have arrived: nothing may be requested before.
    @exclusivity(unchecked) package var peerSettings: HTTP2Settings?
    /// No stream may be opened any more: the peer has said GOAWAY, the ids are used up, or the connection is over.
    @exclusivity(unchecked) package var isGoingAway = false

    /// Makes a session and queues this side's preface and settings.
    ///
    /// - Parameters:
    ///   - role: Which side it is.
    ///   - limits: What it allows its peer.
    ///   - announces: With `false` the owner announces the settings, before it hands in the first bytes of the peer: a
    ///     server that has to know who the client is.
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package init(role: Role, limits: Limits = Limits(), announces: Bool = true) throws(HTTP2Error) {
        self.role = role
        self.limits = limits
        session = try HTTP2Session.makeLibrarySession(role: role, limits: limits, memory: memory)
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        if limits.firstStreamID > 1 { skipStreamIDs(to: limits.firstStreamID) }
        if announces { try announceSettings(limits.settings) }
    }

    deinit {
        nghttp2_session_del(session)
    }

    // MARK: Figures

    /// How many streams are open.
    package var openStreams: Int { streams.openCount }
    /// The most streams that were open at a time.
    package var mostOpenStreams: Int { streams.mostOpen }
    /// Server role: how many bytes are kept of requests that are not complete.
    package var unfinishedBytes: Int { streams.unfinishedBytes }
    /// Server role: how often the header fields of a request were more than ``Limits/headerBytes``. Each time its stream was reset.
    package var overlongSections: Int { clientStreams.overlongSections }
    /// Server role: how many streams this side had to reset, or not to open, because of what the client has sent there.
    package var forcedResets: Int { clientStreams.forcedResets }
    /// Server role: how many streams were opened beyond a limit that the client had not acknowledged.
    package var earlyStreams: Int { clientStreams.early }
    /// Server role: how many submitted answers are in no frame yet.
    package var unsentAnswers: Int { clientStreams.unsentAnswers }
    /// Server role: a stream whose body is longer than ``Limits/longestBody``.
    package var overlongBody: Int32? { clientStreams.overlongBody }
    /// Server role: whether ``HTTP2Event/headersReceived(_:)`` reports requests whose body is still to come.
    package var tellsHeaders: Bool {
        get { clientStreams.reportsHeaders }
        set { clientStreams.reportsHeaders = newValue }
    }

    // MARK: Bytes in

    /// Takes bytes of the peer; ``takeEvents(into:)`` then tells what they meant.
    ///
    /// - Throws: ``HTTP2Error`` when the connection cannot go on. The streams that are still open are then ended by
    ///   ``endAllStreams()``.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        // What has ended the session stays known, whatever comes behind it.
        if !isFinished { complaint = nil }
        let count = nghttp2_session_mem_recv(
            session,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count
        )
        resetAnsweredEarly()
        resetRefused()
        endAfterPassedID()
        if count < 0 { throw failure("reading HTTP/2", Int32(truncatingIfNeeded: count)) }
    }

    /// Something has happened that was not taken yet.
    package var hasEvents: Bool { !events.isEmpty }

    /// Moves what has happened, by receiving and by sending, to the end of `taken`.
    package func takeEvents(into taken: inout [HTTP2Event]) {
        guard !events.isEmpty else { return }
        if taken.isEmpty {
            swap(&events, &taken)
        } else {
            taken.append(contentsOf: events)
            events.removeAll(keepingCapacity: true)
        }
    }

    /// Moves the notes about the peer's frames to `taken`, in place of what it holds.
    package func takeFrameNotes(into taken: inout [HTTP2FrameNote]) {
        taken.removeAll(keepingCapacity: true)
        swap(&frameNotes, &taken)
    }

    // MARK: Bytes out

    /// The next frame to send, `nil` when there is none now. The bytes are valid until the next call of any method.
    ///
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func nextFrame() throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        openedTag = nil
        if let more = headerFrames.next() { return more }
        guard let frame = try nextLibraryFrame() else { return nil }
        guard let id = HeaderFrames.streamOpened(by: frame) else { return frame }
        switch role {
        case .client:
            guard let stream = nghttp2_session_get_stream_user_data(session, id) else {
                throw HTTP2Error(code: .internalFailure, operation: "writing HTTP/2", detail: "a request of no stream")
            }
            return Unmanaged<HTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef { stream in
                openedTag = stream.tag
                return headerFrames.begin(
                    id, limits.commonFields.outgoing.fields, stream.ownFields, stream.credentialFields, instead: frame)
            }
        case .server:
            guard let stream = streamOfSent(id) else { return frame }
            answerLeaves(stream)
            let fields = stream.takeAnswerFields()
            return headerFrames.begin(id, .nothing, fields.memory, .nothing, instead: frame)
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

    /// Neither side has anything left to say: the connection can be closed.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// What went wrong, in the library's words, when it ended the connection by itself.
    package var lastComplaint: String? { complaint }

    // MARK: Streams

    func stream(_ id: Int32) -> HTTP2Stream? {
        guard let pointer = nghttp2_session_get_stream_user_data(session, id) else { return nil }
        return Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The stream of a frame that the library hands over: when it was the last of its stream, the library has forgotten that.
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

    /// For tests of a connection's last stream: the ids below are not used.
    func skipStreamIDs(to id: Int32) {
        nghttp2_session_set_next_stream_id(session, id)
    }

    // MARK: The library

    /// The one place where a code of nghttp2 becomes an error.
    func failure(_ operation: String, _ code: Int32) -> HTTP2Error {
        let words = String(cString: nghttp2_strerror(code))
        let kind: HTTP2Error.Code =
            switch code {
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .notHTTP2
            case NGHTTP2_ERR_FLOODED.rawValue: .unsentAnswersToControl
            case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .continuations
            case NGHTTP2_ERR_NOMEM.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue: .internalFailure
            default: .peerViolation
            }
        return HTTP2Error(code: kind, operation: operation, detail: complaint.map { "\(words) (\($0))" } ?? words)
    }
}

extension HTTP2Stream {
    func end(_ cause: HTTP2StreamEnd.Cause) -> HTTP2StreamEnd {
        HTTP2StreamEnd(streamID: id, tag: tag, cause: cause, response: takeResponse())
    }
}
