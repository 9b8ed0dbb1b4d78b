internal import CNGHTTP2

/// One side of an HTTP/2 connection: bytes in, events out; verbs in, bytes out. No socket, no clock, no thread.
///
/// Owns one `nghttp2_session`. Used by one thread at a time, its owner's: nothing here locks.
package final class HTTP2Session {
    package enum Role: Sendable {
        case client
        case server
    }

    /// What a session allows its peer.
    package struct Limits: Sendable {
        /// The settings that this side announces.
        package var settings: HTTP2Settings
        /// How much of a body is kept, in bytes. The rest is counted and dropped.
        package var bodyBytes = 64 * 1024
        /// How much a peer may send as header fields of one stream, in bytes.
        package var headerBytes = 16 * 1024
        /// Client role: the names of the fields of an answer that are kept; all when empty.
        package var keptFields: [[UInt8]] = [] { didSet { noteLengths() } }
        /// Client role: further ones that are kept of an answer with another status than 200. Most answers are 200, and
        /// what is kept costs them memory.
        package var keptFieldsOfRefusals: [[UInt8]] = [] { didSet { noteLengths() } }
        /// A bit for each length that the name of a kept field may have; the last one for all longer ones. Most fields are
        /// passed over by it.
        private var keptLengths = UInt64.max
        /// Client role: the fields with which each request begins.
        package var commonFields = KeptRequest(.none)
        /// More streams than this are not opened, whatever the peer allows.
        package var openStreams = 1000
        /// Client role, for tests of a connection's last stream: the ids below are not used.
        package var firstStreamID: Int32 = 1
        /// Server role: resets that a peer may send at once, and per second after that.
        package var resetBurst: UInt64 = 10_000
        package var resetsPerSecond: UInt64 = 1000
        /// Each frame of the peer is noted, for ``HTTP2Session/takeFrameNotes(into:)``.
        package var notesFrames = false

        package init(settings: HTTP2Settings = HTTP2Settings()) {
            self.settings = settings
        }

        private mutating func noteLengths() {
            let lengths = (keptFields + keptFieldsOfRefusals).map { UInt64(1) << UInt64(min($0.count, 63)) }
            keptLengths = keptFields.isEmpty ? .max : lengths.reduce(0, |)
        }

        func keepsField(_ name: UnsafeBufferPointer<UInt8>, status: Int?) -> Bool {
            guard keptLengths >> UInt64(min(name.count, 63)) & 1 == 1 else { return false }
            if keptFields.isEmpty || Self.holds(keptFields, name) { return true }
            return status != 200 && Self.holds(keptFieldsOfRefusals, name)
        }

        private static func holds(_ fields: [[UInt8]], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
            for field in fields where field.count == name.count {
                if name.elementsEqual(field) { return true }
            }
            return false
        }
    }

    package let role: Role
    let limits: Limits

    // Exclusive access is not checked at run time here and in the other types of the hot path: one thread owns them and no
    // access runs while another does, so the checks (5 to 8 % of the cost of a send) could find nothing.
    @exclusivity(unchecked) private var session: OpaquePointer?
    private let memory = LibraryMemory()
    /// All that there ever were at a time; which of them are not open stands in `freeSlots`.
    @exclusivity(unchecked) private var streams: [HTTP2Stream] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
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

    /// Server role: the fields that are coming in.
    @exclusivity(unchecked) var section = SectionBuffer()
    @exclusivity(unchecked) var requestFrames = RequestFrames()
    /// The tag of the stream that the last frame of ``nextFrame()`` opens, `nil` for every other frame.
    @exclusivity(unchecked) package private(set) var openedTag: Int?

    /// How many streams are open.
    @exclusivity(unchecked) package private(set) var openStreams = 0
    /// How many streams were open at a time at the most.
    @exclusivity(unchecked) package private(set) var mostOpenStreams = 0
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
        if count < 0 { throw failure("reading HTTP/2", Int32(truncatingIfNeeded: count)) }
    }

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
        if let more = requestFrames.next() { return more }
        var pointer: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &pointer)
        if count < 0 { throw failure("writing HTTP/2", Int32(truncatingIfNeeded: count)) }
        guard count > 0, let pointer else { return nil }
        let frame = UnsafeRawBufferPointer(start: pointer, count: count)
        guard let id = RequestFrames.streamOpened(by: frame) else { return frame }
        switch role {
        case .client:
            guard let stream = nghttp2_session_get_stream_user_data(session, id) else {
                throw HTTP2Error(code: .internalFailure, operation: "writing HTTP/2", detail: "a request of no stream")
            }
            return Unmanaged<HTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef { stream in
                openedTag = stream.tag
                return requestFrames.begin(
                    id, limits.commonFields.outgoing.fields, stream.ownFields, stream.credentialFields, instead: frame)
            }
        case .server:
            guard let stream = streamOfSent(id) else { return frame }
            return withExtendedLifetime(stream) {
                requestFrames.begin(id, .nothing, stream.answerFields.memory, .nothing, instead: frame)
            }
        }
    }

    /// Neither side has anything left to say: the connection can be closed.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// What went wrong, in the library's words, when it ended the connection by itself.
    package var lastComplaint: String? { complaint }

    // MARK: Verbs

    /// How many streams the client role may open now: 0 before the server's settings and after its GOAWAY.
    package var freeStreams: Int {
        guard let peerSettings, !isGoingAway else { return 0 }
        let allowed = min(Int(peerSettings.maxConcurrentStreams ?? .max), limits.openStreams)
        return max(0, allowed - openStreams)
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
        let stream = makeStream(id: 0, tag: tag)
        stream.setRequest(request, owner: owner, credential: credential)
        let fieldBytes =
            limits.commonFields.outgoing.fields.count + request.fields.count + stream.credentialFields.count
        guard fieldBytes <= Self.mostFieldBytes else {
            events.append(.streamEnded(stream.end(.unprocessed)))
            retire(stream)
            return 0
        }
        let streamData = Unmanaged.passUnretained(stream).toOpaque()
        // The library opens the stream; the fields are written into its frame by `RequestFrames`.
        let id = withBodyProvider(stream, isEmpty: request.body.isEmpty, read: readRequestBody) {
            nghttp2_submit_request(session, nil, nil, 0, $0, streamData)
        }
        guard id > 0 else {
            retire(stream)
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

    /// Server role: answers a request. A stream that is gone is passed over.
    ///
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func submitResponse(
        _ fields: RequestFields,
        body: [UInt8] = [],
        on streamID: Int32
    ) throws(HTTP2Error) {
        guard let stream = stream(streamID) else { return }
        stream.outgoingBody = body
        stream.answerFields = fields
        let code = withBodyProvider(stream, isEmpty: body.isEmpty, read: readAnswerBody) {
            nghttp2_submit_response(session, streamID, nil, 0, $0)
        }
        if code != 0 { throw failure("answering", code) }
    }

    /// Server role: begins an answer and leaves its end open; a reset can follow. A stream that is gone is passed over.
    ///
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func beginResponse(_ fields: RequestFields, on streamID: Int32) throws(HTTP2Error) {
        guard let stream = stream(streamID) else { return }
        stream.answerFields = fields
        let code = nghttp2_submit_headers(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, nil, nil, 0, nil)
        if code != 0 { throw failure("answering", code) }
    }

    /// Server role: the newest stream that was taken, 0 before the first.
    package var newestStreamID: Int32 { nghttp2_session_get_last_proc_stream_id(session) }

    /// Whether a stream is there that can be answered or reset.
    package func hasStream(_ streamID: Int32) -> Bool { stream(streamID) != nil }

    /// Resets a stream. One that is over is passed over; one that was not sent yet never will be, and ends here.
    package func reset(_ streamID: Int32, code: HTTP2ErrorCode = .cancel) {
        if stream(streamID) == nil {
            // While the peer's limit holds a request back, the library would not tell its end.
            guard let unsent = unsentStream(streamID) else { return }
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

    /// Says that no new streams are taken.
    ///
    /// `lastStreamID` is the last stream that this side processed or will process, the newest one by default.
    package func goAway(
        lastStreamID: Int32? = nil,
        code: HTTP2ErrorCode = .noError,
        debugData: [UInt8] = []
    ) {
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
        for stream in streams where stream.isOpen && !stream.reported {
            stream.reported = true
            events.append(.streamEnded(stream.end(.connectionLost)))
        }
    }

    // MARK: Streams

    func makeStream(id: Int32, tag: Int) -> HTTP2Stream {
        let stream: HTTP2Stream
        if let slot = freeSlots.popLast() {
            stream = streams[slot]
        } else {
            stream = HTTP2Stream(slot: streams.count)
            streams.append(stream)
        }
        stream.reuse(id: id, tag: tag)
        openStreams += 1
        mostOpenStreams = max(mostOpenStreams, openStreams)
        return stream
    }

    func retire(_ stream: HTTP2Stream) {
        guard stream.isOpen else { return }
        stream.isOpen = false
        stream.outgoingBody = []
        stream.releaseRequest()
        freeSlots.append(stream.slot)
        openStreams -= 1
    }

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

    /// A request that the library has not sent: it knows it by no id yet.
    private func unsentStream(_ id: Int32) -> HTTP2Stream? {
        guard id > 0 else { return nil }
        return streams.first { $0.isOpen && $0.id == id && !$0.reported }
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

    /// The one place where a code of nghttp2 becomes an error.
    private func failure(_ operation: String, _ code: Int32) -> HTTP2Error {
        let words = String(cString: nghttp2_strerror(code))
        let kind: HTTP2Error.Code =
            switch code {
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .notHTTP2
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
