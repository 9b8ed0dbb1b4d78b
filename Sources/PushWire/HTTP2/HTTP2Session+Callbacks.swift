internal import CNGHTTP2

// MARK: Callbacks. Each finds its owner, records the event and returns. None sends through the library.

private func owner(_ userData: UnsafeMutableRawPointer?) -> HTTP2Session? {
    userData.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

/// The result of a callback that succeeded.
private let proceed: Int32 = 0
private let resetThisStream = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue

let readRequestBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, userData in
    guard let pointer = source?.pointee.ptr, let userData else { return 0 }
    return Unmanaged<HTTP2Stream>.fromOpaque(pointer)._withUnsafeGuaranteedRef { stream in
        guard let outgoing = stream.outgoing else { return 0 }
        let count = read(from: outgoing.body, of: stream, to: buffer, length, flags)
        withOwner(userData) { $0.streams.unframedBodyBytes -= count }
        return count
    }
}

let readAnswerBody: nghttp2_data_source_read_callback = { session, id, buffer, length, flags, source, _ in
    guard let pointer = source?.pointee.ptr else { return 0 }
    let stream = Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    let count = stream.answer.body.withUnsafeBytes { read(from: $0, of: stream, to: buffer, length, flags) }
    if let shape = stream.answer.shape, stream.outgoingOffset == stream.answer.body.count {
        endBody(as: shape, session, id, flags)
    }
    return count
}

/// Ends the body of an unusual answer. The library requires that trailers are submitted here.
private func endBody(
    as shape: AnswerShape, _ session: OpaquePointer?, _ id: Int32, _ flags: UnsafeMutablePointer<UInt32>?
) {
    guard shape.trailers != nil || !shape.ends else { return }
    flags?.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
    if shape.trailers != nil { nghttp2_submit_trailer(session, id, nil, 0) }
}

private func read(
    from body: UnsafeRawBufferPointer, of stream: HTTP2Stream, to buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?
) -> Int {
    let maximum = stream.answer.shape?.pieceBytes ?? length
    let count = min(length, maximum, body.count - stream.outgoingOffset)
    if let buffer, let start = body.baseAddress {
        UnsafeMutableRawPointer(buffer).copyMemory(from: start + stream.outgoingOffset, byteCount: count)
    }
    stream.outgoingOffset += count
    if stream.outgoingOffset == body.count { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
}

/// Calls the closure with the session of a callback, without reference counting. The session has an owner while the
/// library runs, and the counting was a tenth of the time for an answer.
@inline(__always)
private func withOwner<Result>(
    _ userData: UnsafeMutableRawPointer, _ body: (HTTP2Session) -> Result
) -> Result {
    Unmanaged<HTTP2Session>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
}

/// Calls the closure with a stream. Usually it is the stream of the previous frame, which saves a search in the
/// library's table.
@inline(__always)
private func withStream(
    _ session: OpaquePointer?, _ id: Int32, _ owner: HTTP2Session, _ body: (HTTP2Stream) -> Int32
) -> Int32? {
    if owner.currentStreamID == id, let current = owner.currentStream { return current._withUnsafeGuaranteedRef(body) }
    return nghttp2_session_get_stream_user_data(session, id).map {
        let stream = Unmanaged<HTTP2Stream>.fromOpaque($0)
        owner.currentStreamID = id
        owner.currentStream = stream
        return stream._withUnsafeGuaranteedRef(body)
    }
}

/// Server role: checks the header of each frame before the library does.
let beganFrame: nghttp2_on_begin_frame_callback = { _, header, userData in
    guard let header, let userData else { return proceed }
    let id = header.pointee.stream_id
    switch UInt32(header.pointee.type) {
    case NGHTTP2_HEADERS.rawValue:
        return withOwner(userData) { owner in
            switch owner.clientStreams.ids.uses(id) {
            case .new: owner.clientStreams.begun += 1
            case .passedOver: owner.clientStreams.usedPassedID = owner.clientStreams.usedPassedID ?? id
            case .known: owner.notesUse(ofFinished: id)
            }
            return proceed
        }
    default: return proceed
    }
}

let beganHeaders: nghttp2_on_begin_headers_callback = { session, frame, userData in
    guard let frame, let userData else { return proceed }
    let id = frame.pointee.hd.stream_id
    return withOwner(userData) { owner in
        owner.section.begin()
        let known = withStream(session, id, owner) { stream in
            stream.received.beginSection()
            return proceed
        }
        if let known { return known }
        guard owner.role == .server else { return proceed }
        let stream = owner.streams.open(id: id, tag: Int(id))
        stream.received.beginSection()
        owner.limit(stream)
        nghttp2_session_set_stream_user_data(session, id, Unmanaged.passUnretained(stream).toOpaque())
        return proceed
    }
}

let receivedHeader: nghttp2_on_header_callback = {
    session, frame, name, nameLength, value, valueLength, _, userData in
    guard let frame, let userData else { return proceed }
    return withOwner(userData) { owner in
        withStream(session, frame.pointee.hd.stream_id, owner) { stream in
            stream.received.headerByteCount += nameLength + valueLength + 32
            guard stream.received.headerByteCount <= owner.limits.headerBytes else {
                owner.clientStreams.overlongSections += 1
                if owner.role == .server { owner.keepsWhatCame(of: stream, "") }
                return resetThisStream
            }
            if stream.received.receivesTrailers { return proceed }
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let value = UnsafeBufferPointer(start: value, count: valueLength)
            if owner.role == .server {
                owner.section.append(name: name, value: value)
            } else if name.first == UInt8(ascii: ":") {
                // nghttp2 accepts only a `:status` with three digits.
                var status = 0
                for digit in value { status = status * 10 + Int(digit) - Int(UInt8(ascii: "0")) }
                stream.received.status = status
            } else if owner.limits.keepsField(name, status: stream.received.status) {
                stream.received.headers.append(name: name, value: value)
            }
            return proceed
        } ?? proceed
    }
}

let receivedData: nghttp2_on_data_chunk_recv_callback = { session, _, id, data, length, userData in
    guard let userData else { return proceed }
    return withOwner(userData) { owner in
        withStream(session, id, owner) { stream in
            stream.received.bodyByteCount += length
            if stream.received.bodyByteCount > owner.limits.longestBody { owner.clientStreams.overlongBody = id }
            let room = owner.limits.bodyBytes - stream.received.body.count
            guard room > 0 else { return proceed }
            let bytes = UnsafeBufferPointer(start: data, count: min(length, room))
            if owner.role == .server { owner.streams.keep(bytes.count, of: stream) }
            // Usually the first part is the whole body.
            if stream.received.body.isEmpty {
                stream.received.body = Array(bytes)
            } else {
                stream.received.body.append(contentsOf: bytes)
            }
            return proceed
        } ?? proceed
    }
}

let receivedFrame: nghttp2_on_frame_recv_callback = { session, frame, userData in
    guard let frame, let userData else { return proceed }
    return withOwner(userData) { $0.received(frame.pointee, in: session) }
}

let closedStream: nghttp2_on_stream_close_callback = { session, id, code, userData in
    guard let userData else { return proceed }
    return withOwner(userData) { owner in
        let result = withStream(session, id, owner) { owner.closed($0, code) }
        // The library removes the stream now, and the object will be reused.
        owner.currentStream = nil
        return result ?? proceed
    }
}

extension HTTP2Session {
    fileprivate func received(_ frame: nghttp2_frame, in session: OpaquePointer?) -> Int32 {
        let header = frame.hd
        if limits.notesFrames { frameNotes.append(HTTP2FrameNote(frame)) }
        switch nghttp2_frame_type(UInt32(header.type)) {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            let endsStream = UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
            if header.type == UInt8(NGHTTP2_HEADERS.rawValue) {
                _ = withStream(session, header.stream_id, self) { sectionEnded($0, endsStream: endsStream) }
            }
            if endsStream {
                return withStream(session, header.stream_id, self) { peerFinished($0) } ?? proceed
            }
        case NGHTTP2_RST_STREAM:
            return withStream(session, header.stream_id, self) { stream in
                stream.received.peerReset = frame.rst_stream.error_code
                return proceed
            } ?? proceed
        case NGHTTP2_SETTINGS:
            guard UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue == 0 else {
                clientStreams.limit.acknowledged()
                break
            }
            let settings = HTTP2Settings(inForceIn: session)
            peerSettings = settings
            // The frame can contain the size more than once. The smallest and the last value count.
            for entry in UnsafeBufferPointer(start: frame.settings.iv, count: frame.settings.niv)
            where entry.settings_id == Int32(bitPattern: NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue) {
                headerFrames.peerAllowsTable(entry.value)
            }
            events.append(.settingsReceived(settings))
        case NGHTTP2_PING:
            guard UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue != 0 else { break }
            let payload = withUnsafeBytes(of: frame.ping.opaque_data) {
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
            }
            events.append(.pingAnswered(payload))
        case NGHTTP2_GOAWAY:
            isGoingAway = true
            events.append(.goAwayReceived(HTTP2GoAway(frame.goaway)))
        default: break
        }
        return proceed
    }

    private func sectionEnded(_ stream: HTTP2Stream, endsStream: Bool) -> Int32 {
        stream.received.sectionIsWhole = true
        guard role == .server, !stream.received.receivesTrailers else { return proceed }
        stream.received.headers = section.block()
        if stream.isRefused { return refuse(stream) }
        if !endsStream { streams.keep(stream.received.headers.byteCount, of: stream) }
        if reportsHeaders, !endsStream { events.append(.headersReceived(stream.requestSoFar)) }
        return proceed
    }

    private func peerFinished(_ stream: HTTP2Stream) -> Int32 {
        stream.received.peerHasFinished = true
        guard !stream.reported, !stream.isRefused else { return proceed }
        switch role {
        case .server:
            streams.requestIsComplete(stream)
            events.append(.requestReceived(stream.takeRequest()))
        case .client:
            stream.reported = true
            let allSent = stream.outgoingOffset == stream.outgoing?.body.count ?? 0
            events.append(.streamEnded(stream.end(.answered)))
            if !allSent { answeredEarly.append(stream.id) }
        }
        return proceed
    }

    fileprivate func closed(_ stream: HTTP2Stream, _ code: UInt32) -> Int32 {
        if role == .server, !stream.received.peerHasFinished, stream.received.peerReset == nil {
            clientStreams.endedHere.insert(stream.id)
        }
        if !stream.reported {
            stream.reported = true
            let cause = role == .server ? serverCause(code, of: stream) : clientCause(code, of: stream)
            if case .resetHere(let code) = cause, !isWanted(endOf: stream) {
                clientStreams.forcedResets += 1
                if role == .server { isMalformed(stream, code) }
            }
            if role == .server { isOver(stream, cause) }
            events.append(.streamEnded(stream.end(cause)))
        }
        streams.close(stream)
        lastClosed = Unmanaged.passUnretained(stream)
        return proceed
    }

    /// Whether this side's owner requested the end of the stream, so the peer did not cause it.
    private func isWanted(endOf stream: HTTP2Stream) -> Bool {
        stream.isResetOnRequest || stream.id > clientStreams.lastTaken
    }
}

private func serverCause(_ code: UInt32, of stream: HTTP2Stream) -> HTTP2StreamEnd.Cause {
    if let peerReset = stream.received.peerReset { return .resetByPeer(peerReset) }
    return code == 0 ? .answered : .resetHere(code)
}

/// Returns why a stream of the client ended.
///
/// REFUSED_STREAM from the peer and a stream above the last id of GOAWAY both close with code 7: neither was processed.
/// But a peer that has begun to answer has processed the stream, even if it sends this code later. If the answer cannot
/// be read, the cause is a reset by this side.
private func clientCause(_ code: UInt32, of stream: HTTP2Stream) -> HTTP2StreamEnd.Cause {
    if code == HTTP2ErrorCode.refusedStream.rawValue {
        guard stream.received.answerHasBegun else { return .unprocessed }
        return stream.received.finalStatus == nil
            ? .resetHere(HTTP2ErrorCode.protocolError.rawValue) : .resetByPeer(code)
    }
    if let peerReset = stream.received.peerReset { return .resetByPeer(peerReset) }
    return .resetHere(code)
}

let receivedInvalidFrame: nghttp2_on_invalid_frame_recv_callback = { session, frame, code, userData in
    guard let owner = owner(userData) else { return proceed }
    // The earlier message has more details: the library writes it first.
    let message = owner.complaint ?? ""
    owner.complaint = String(cString: nghttp2_strerror(code))
    guard let frame else { return proceed }
    // An existing stream is counted when it ends.
    guard let stream = owner.stream(frame.pointee.hd.stream_id) else {
        owner.clientStreams.forcedResets += 1
        if owner.role == .server { owner.clientStreams.endedHere.insert(frame.pointee.hd.stream_id) }
        return proceed
    }
    if owner.role == .server, stream.received.complaint == nil { owner.keepsWhatCame(of: stream, message) }
    return proceed
}

let complained: nghttp2_error_callback2 = { _, _, message, length, userData in
    guard let message, let owner = owner(userData) else { return proceed }
    // The library quotes data from the peer. Control characters must not reach a log or a terminal.
    let bytes = UnsafeBufferPointer(start: message, count: min(length, 300)).map { byte in
        (0x20..<0x7F).contains(byte) ? UInt8(bitPattern: byte) : UInt8(ascii: "?")
    }
    owner.complaint = String(decoding: bytes, as: UTF8.self)
    return proceed
}

extension HTTP2FrameNote {
    init(_ frame: nghttp2_frame) {
        type = frame.hd.type
        acknowledges =
            (type == UInt8(NGHTTP2_SETTINGS.rawValue) || type == UInt8(NGHTTP2_PING.rawValue))
            && UInt32(frame.hd.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
        streamID = frame.hd.stream_id
        errorCode = type == UInt8(NGHTTP2_RST_STREAM.rawValue) ? frame.rst_stream.error_code : 0
        isEmptyData =
            type == UInt8(NGHTTP2_DATA.rawValue) && frame.data.hd.length <= frame.data.padlen
            && UInt32(frame.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue == 0
        byteCount = frame.hd.length
        endsStream =
            (type == UInt8(NGHTTP2_DATA.rawValue) || type == UInt8(NGHTTP2_HEADERS.rawValue))
            && UInt32(frame.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    }

    /// Reads the header of a frame that is sent (RFC 9113 section 4.1); `nil` for less than a header.
    init?(sent frame: UnsafeRawBufferPointer) {
        guard frame.count >= 9 else { return nil }
        type = frame[3]
        let flags = UInt32(frame[4])
        let mayEnd = type == UInt8(NGHTTP2_DATA.rawValue) || type == UInt8(NGHTTP2_HEADERS.rawValue)
        isSent = true
        acknowledges = false
        streamID = Int32(frame.loadUnaligned(fromByteOffset: 5, as: UInt32.self).bigEndian & 0x7FFF_FFFF)
        errorCode = 0
        isEmptyData = false
        byteCount = Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
        endsStream = mayEnd && flags & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    }
}

extension HTTP2GoAway {
    init(_ frame: nghttp2_goaway) {
        let data = UnsafeBufferPointer(start: frame.opaque_data, count: min(frame.opaque_data_len, 4096))
        self.init(lastStreamID: frame.last_stream_id, errorCode: frame.error_code, debugData: Array(data))
    }
}
