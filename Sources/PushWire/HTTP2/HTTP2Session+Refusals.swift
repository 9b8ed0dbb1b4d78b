internal import CNGHTTP2

/// Server role: requests that are refused, and answers that are not sent.
extension HTTP2Session {
    // MARK: Streams beyond the limit

    /// The maximum number of open streams before the client acknowledges a limit. Streams beyond it are refused.
    private static let maximumEarlyStreams = 1000

    func limit(_ stream: HTTP2Stream) {
        switch clientStreams.limit.judge(openStreams: openStreams) {
        case .allowed: break
        case .beyondAnnounced:
            clientStreams.early += 1
            stream.isBeyondAnnouncedLimit = true
            stream.isRefused = limits.refusesEarlyStreams || openStreams > Self.maximumEarlyStreams
        case .beyondAcknowledged: stream.isRefused = true
        }
    }

    /// Reports a refused request, when its fields are received.
    func refuse(_ stream: HTTP2Stream) -> Int32 {
        events.append(.requestRefused(stream.requestSoFar, refusal(of: stream)))
        if stream.isBeyondAnnouncedLimit { clientStreams.refused.append(stream.id) }
        return 0
    }

    private func refusal(of stream: HTTP2Stream) -> HTTP2Refusal {
        guard stream.isBeyondAnnouncedLimit else { return .beyondAcknowledgedLimit }
        return limits.refusesEarlyStreams
            ? .beyondAnnouncedLimit : .tooManyEarlyStreams(maximum: Self.maximumEarlyStreams)
    }

    func resetRefused() {
        guard !clientStreams.refused.isEmpty else { return }
        clientStreams.forcedResets += clientStreams.refused.count
        for id in clientStreams.refused { reset(id, code: .refusedStream) }
        clientStreams.refused.removeAll(keepingCapacity: true)
    }

    // MARK: Protocol errors

    /// Reads bytes up to the last one of each header of a DATA frame, and checks its stream: the library calls nothing for DATA on a
    /// closed stream. A frame without content is complete with its header, and can itself close the stream.
    func readAsServer(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (start, at) = (0, 0)
        while let id = clientStreams.heads.nextData(in: bytes, from: &at) {
            let last = at - 1
            let count = start < last ? read(UnsafeRawBufferPointer(rebasing: bytes[start..<last])) : 0
            if count < 0 { return count }
            start = last
            notesUse(ofFinished: id)
        }
        return start < bytes.count || bytes.isEmpty ? read(UnsafeRawBufferPointer(rebasing: bytes[start...])) : 0
    }

    /// Records a frame on a stream that the client has ended or reset. The library forgets closed streams, and ignores
    /// such a frame.
    func notesUse(ofFinished id: Int32) {
        guard clientStreams.usedFinishedID == nil, stream(id) == nil, clientStreams.ids.hasUsed(id),
            // After a GOAWAY, the library ignores new streams: they were never open.
            id <= min(clientStreams.lastTaken, nghttp2_session_get_last_proc_stream_id(session)),
            !clientStreams.endedHere.contains(id)
        else { return }
        clientStreams.usedFinishedID = id
    }

    /// Ends the connection if the client has used a stream id that it skipped before, or a stream that it has finished:
    /// RFC 9113 sections 5.1.1 and 5.1 require it.
    func endAfterMisusedStream() {
        guard !isFinished else { return }
        if let id = clientStreams.usedPassedID {
            complaint = "HEADERS on stream \(id) after a higher stream id (RFC 9113 section 5.1.1)"
            nghttp2_session_terminate_session(session, UInt32(NGHTTP2_PROTOCOL_ERROR.rawValue))
        } else if let id = clientStreams.usedFinishedID {
            complaint = "a frame on stream \(id), which the client had ended or reset before (RFC 9113 section 5.1)"
            nghttp2_session_terminate_session(session, UInt32(NGHTTP2_STREAM_CLOSED.rawValue))
        }
    }

    /// Stores the fields before the invalid one.
    func keepsWhatCame(of stream: HTTP2Stream, _ message: String) {
        stream.received.complaint = message
        guard !stream.received.sectionIsWhole else { return }
        stream.received.headers = section.block()
        // The connection must end for this stream, even with other errors.
        if stream.isRefused, !stream.isBeyondAnnouncedLimit { _ = refuse(stream) }
    }

    /// Reports a request whose stream the library has reset because of its contents.
    func isMalformed(_ stream: HTTP2Stream, _ code: UInt32) {
        guard !stream.received.peerHasFinished, !isReported(stream) else { return }
        let refusal = MalformedRequest.refusal(of: stream, code: code, longest: limits.headerBytes)
        events.append(.requestRefused(stream.takeRequest(), refusal))
    }

    /// Whether a refused stream was reported already: when its fields were received, or when the first one was invalid.
    private func isReported(_ stream: HTTP2Stream) -> Bool {
        stream.isRefused && (stream.received.sectionIsWhole || !stream.isBeyondAnnouncedLimit)
    }

    /// The requests whose fields were received, but not their end, in the order of their streams.
    package var unfinishedRequests: [HTTP2Request] {
        let unfinished = streams.all.filter { stream in
            stream.isOpen && stream.received.sectionIsWhole && !stream.received.peerHasFinished && !stream.isRefused
                && !stream.answer.isSubmitted
                && !stream.isResetOnRequest && stream.received.peerReset == nil && stream.received.complaint == nil
        }
        return unfinished.sorted { $0.id < $1.id }.map(\.requestSoFar)
    }

    // MARK: Answers

    func answerIsSubmitted(_ stream: HTTP2Stream) {
        guard !stream.answer.isSubmitted else { return }
        stream.answer.isSubmitted = true
        clientStreams.unsentAnswers += 1
    }

    /// Records that a HEADERS frame of the answer is sent.
    func answerLeaves(_ stream: HTTP2Stream) {
        guard !stream.answer.hasLeft else { return }
        stream.answer.hasLeft = true
        if stream.answer.isSubmitted, stream.isOpen { clientStreams.unsentAnswers -= 1 }
    }

    /// Records the end of a stream. The library gives the last frame of an answer after it has closed the stream.
    func isOver(_ stream: HTTP2Stream, _ cause: HTTP2StreamEnd.Cause) {
        guard stream.answer.isSubmitted, !stream.answer.hasLeft else { return }
        clientStreams.unsentAnswers -= 1
        if cause == .answered { stream.answer.hasLeft = true } else { clientStreams.lostAnswers.insert(stream.id) }
    }

    /// Whether a submitted answer is in no frame yet, or was lost.
    package func answerHasNotLeft(_ streamID: Int32) -> Bool {
        if clientStreams.lostAnswers.contains(streamID) { return true }
        guard let stream = stream(streamID) else { return false }
        return stream.answer.isSubmitted && !stream.answer.hasLeft
    }

    /// Whether the stream ended before its submitted answer was in a frame.
    package func hasLostAnswer(_ streamID: Int32) -> Bool { clientStreams.lostAnswers.contains(streamID) }

    /// Whether all submitted answers are in frames.
    package var allAnswersHaveLeft: Bool { unsentAnswers == 0 && clientStreams.lostAnswers.isEmpty }

    /// Clears the list of streams that ended before their answers were in frames.
    package func forgetLostAnswers() { clientStreams.lostAnswers.removeAll() }
}

/// Describes the error in a request whose stream was reset, for people.
///
/// The library quotes values of header fields. Values can be secrets, so these texts contain only names.
enum MalformedRequest {
    static func refusal(of stream: HTTP2Stream, code: UInt32, longest: Int) -> HTTP2Refusal {
        if stream.received.headerByteCount > longest {
            return .notTaken(
                code: code, "The header fields are longer than \(longest) bytes, the limit of this mock.")
        }
        if isWithoutAuthority(stream) {
            return .notTaken(
                code: code,
                "The request has neither :authority nor host. The mock's HTTP/2 library (nghttp2) requires one of them."
            )
        }
        return .malformed(code: code, message(for: stream))
    }

    private static func isWithoutAuthority(_ stream: HTTP2Stream) -> Bool {
        stream.received.complaint.flatMap(fieldName) == nil && missing(in: stream).isEmpty
            && !stream.received.sectionIsWhole
            && stream.received.headers[":authority"] == nil && stream.received.headers["host"] == nil
    }

    private static func missing(in stream: HTTP2Stream) -> [String] {
        [":method", ":scheme", ":path"].filter { stream.received.headers[$0] == nil }
    }

    private static func message(for stream: HTTP2Stream) -> String {
        if let name = stream.received.complaint.flatMap(fieldName) {
            return "The header field \(name) has a name, value or position that HTTP/2 forbids (RFC 9113 section 8.2)."
        }
        let missing = missing(in: stream)
        if stream.received.headers[":method"] != "CONNECT", !missing.isEmpty {
            return "The request has no \(missing.joined(separator: ", ")) (RFC 9113 section 8.3.1)."
        }
        if let length = stream.received.headers["content-length"], length != String(stream.received.bodyByteCount) {
            return "The content-length isn't the length of the body (RFC 9113 section 8.1.1)."
        }
        return "The request isn't valid in HTTP/2 (RFC 9113 section 8.1.1)."
    }

    /// Returns the name of the field in the library's message, in quotation marks.
    private static func fieldName(_ complaint: String) -> String? {
        guard let start = complaint.firstRange(of: "name: [")?.upperBound else { return nil }
        let rest = complaint[start...]
        guard let end = rest.firstIndex(of: "]") else { return nil }
        return "\"\(rest[..<end].prefix(60))\""
    }
}
