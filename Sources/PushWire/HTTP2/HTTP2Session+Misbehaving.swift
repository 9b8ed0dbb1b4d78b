internal import CNGHTTP2

// Unusual behaviour of a server, for the faults of the mock.

/// The unusual properties of an answer.
package struct AnswerShape: Sendable {
    /// The fields of interim answers before the answer.
    package var interim: [OutgoingFields] = []
    package var trailers: OutgoingFields?
    /// The maximum size of one DATA frame, in bytes; `nil` for no limit. A longer body is sent in more frames.
    package var pieceBytes: Int?
    /// Whether the stream ends with the answer.
    package var ends = true

    private var sectionsTaken = 0

    package init() {}

    package var isDefault: Bool { interim.isEmpty && trailers == nil && pieceBytes == nil && ends }

    /// Returns the fields of the next HEADERS frame: of the interim answers, of the answer, of the trailers.
    mutating func takeFields(_ answer: OutgoingFields) -> OutgoingFields {
        defer { sectionsTaken += 1 }
        if sectionsTaken < interim.count { return interim[sectionsTaken] }
        return sectionsTaken == interim.count ? answer : trailers ?? .none
    }
}

/// The frames that a session sends automatically, and can hold back.
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
    /// Server role: submits an unusual answer. A stream that no longer exists is ignored.
    ///
    /// - Parameters:
    ///   - fields: The header fields.
    ///   - body: The body.
    ///   - shape: The unusual properties.
    ///   - streamID: The stream.
    /// - Throws: ``HTTP2Error`` if there is no memory.
    package func submitResponse(
        _ fields: OutgoingFields, body: [UInt8], as shape: AnswerShape, on streamID: Int32
    ) throws(HTTP2Error) {
        guard !shape.isDefault else {
            try submitResponse(fields, body: body, on: streamID)
            return
        }
        guard let stream = stream(streamID) else { return }
        answerIsSubmitted(stream)
        stream.answer.shape = shape
        for _ in shape.interim { try submitSection(on: streamID) }
        guard body.isEmpty else {
            try submitResponse(fields, body: body, on: streamID)
            return
        }
        stream.answer.fields = fields
        try submitSection(on: streamID, endsStream: shape.ends && shape.trailers == nil)
        if shape.trailers != nil { try submitSection(on: streamID, endsStream: shape.ends) }
    }

    /// Allows the peer to send more bytes, on a stream or, for stream id 0, on the connection.
    package func openWindow(_ streamID: Int32, by increment: Int32) {
        _ = nghttp2_submit_window_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, increment)
    }
}
