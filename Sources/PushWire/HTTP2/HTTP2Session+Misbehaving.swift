internal import CNGHTTP2

// What a server can do to its client that none should do: the mock's means.

/// What is unusual about an answer.
package struct AnswerShape: Sendable {
    /// The fields of interim answers that go ahead of it.
    package var interim: [OutgoingFields] = []
    /// The fields behind the body.
    package var trailers: OutgoingFields?
    /// The body comes in pieces of at most so many bytes.
    package var pieceBytes: Int?
    /// The stream ends with the answer.
    package var ends = true

    private var sectionsTaken = 0

    package init() {}

    /// Nothing is.
    package var isUsual: Bool { interim.isEmpty && trailers == nil && pieceBytes == nil && ends }

    /// The fields of the next HEADERS frame: interim ones, those of the answer, the trailers.
    mutating func takeFields(_ answer: OutgoingFields) -> OutgoingFields {
        defer { sectionsTaken += 1 }
        if sectionsTaken < interim.count { return interim[sectionsTaken] }
        return sectionsTaken == interim.count ? answer : trailers ?? .none
    }
}

/// Frames that a session sends by itself and can keep back.
package struct Withheld: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let windowUpdates = Withheld(rawValue: 1)
    package static let pingAnswers = Withheld(rawValue: 2)
    package static let settingsAnswers = Withheld(rawValue: 4)

    func holds(_ frame: UnsafeRawBufferPointer) -> Bool {
        guard frame.count >= 9 else { return false }
        let acknowledges = UInt32(frame[4]) & NGHTTP2_FLAG_ACK.rawValue != 0
        return switch nghttp2_frame_type(UInt32(frame[3])) {
        case NGHTTP2_WINDOW_UPDATE: contains(.windowUpdates)
        case NGHTTP2_PING: contains(.pingAnswers) && acknowledges
        case NGHTTP2_SETTINGS: contains(.settingsAnswers) && acknowledges
        default: false
        }
    }
}

extension HTTP2Session {
    /// Server role: answers a request in an unusual way. A stream that is gone is passed over.
    ///
    /// - Throws: ``HTTP2Error`` when there is no memory.
    package func submitResponse(
        _ fields: OutgoingFields, body: [UInt8], as shape: AnswerShape, on streamID: Int32
    ) throws(HTTP2Error) {
        guard !shape.isUsual else {
            try submitResponse(fields, body: body, on: streamID)
            return
        }
        guard let stream = stream(streamID) else { return }
        answerIsSubmitted(stream)
        stream.answerShape = shape
        for _ in shape.interim { try submitSection(on: streamID) }
        guard body.isEmpty else {
            try submitResponse(fields, body: body, on: streamID)
            return
        }
        stream.answerFields = fields
        try submitSection(on: streamID, endsStream: shape.ends && shape.trailers == nil)
        if shape.trailers != nil { try submitSection(on: streamID, endsStream: shape.ends) }
    }

    /// Lets the peer send so many bytes more, on a stream, or on the connection by 0.
    package func openWindow(_ streamID: Int32, by increment: Int32) {
        _ = nghttp2_submit_window_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, increment)
    }
}
