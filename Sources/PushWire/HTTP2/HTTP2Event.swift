/// An event from the bytes of the peer.
package enum HTTP2Event: Sendable {
    /// The peer's settings were received, at the beginning and after each change.
    case settingsReceived(HTTP2Settings)
    /// Server role, if the session has it switched on: the fields of a request were received, but not its body yet.
    case headersReceived(HTTP2Request)
    /// Server role: a complete request was received.
    case requestReceived(HTTP2Request)
    /// Server role: this side has reset the stream of a request, with the reason. There is no ``requestReceived(_:)``
    /// for it.
    case requestRefused(HTTP2Request, HTTP2Refusal)
    /// A stream has ended. It is reported exactly once for each opened stream.
    case streamEnded(HTTP2StreamEnd)
    /// The peer accepts no new streams.
    case goAwayReceived(HTTP2GoAway)
    case pingAnswered(UInt64)
}

/// The settings of a peer that matter to the other side.
package struct HTTP2Settings: Equatable, Sendable {
    /// The maximum number of open streams; `nil` if the peer sets no limit.
    package var maxConcurrentStreams: UInt32?
    /// The initial flow-control window of each stream, in bytes.
    package var initialWindowSize: UInt32?
    /// The maximum size of a list of header fields, in bytes of RFC 9113 section 6.5.2.
    package var maxHeaderListSize: UInt32?
    /// The size of the HPACK table, in bytes.
    package var headerTableSize: UInt32?
    /// The maximum size of a frame, in bytes.
    package var maxFrameSize: UInt32?

    package init(
        maxConcurrentStreams: UInt32? = nil,
        initialWindowSize: UInt32? = nil,
        maxHeaderListSize: UInt32? = nil,
        headerTableSize: UInt32? = nil,
        maxFrameSize: UInt32? = nil
    ) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.maxHeaderListSize = maxHeaderListSize
        self.headerTableSize = headerTableSize
        self.maxFrameSize = maxFrameSize
    }
}

/// A GOAWAY frame (RFC 9113 section 6.8).
package struct HTTP2GoAway: Equatable, Sendable {
    /// Streams above this one were not processed.
    package var lastStreamID: Int32
    package var errorCode: UInt32
    /// The debug data. From Apple: JSON with a reason, or plain text, or nothing.
    package var debugData: [UInt8]
}

/// A frame from the peer, or a frame to it.
package struct HTTP2FrameNote: Equatable, Sendable {
    /// Whether this side sends it. The type, the stream and the length are known of such a frame, and whether it ends the stream.
    package var isSent = false
    /// The type number of RFC 9113. A CONTINUATION is a part of its HEADERS.
    package var type: UInt8
    /// Whether it is a SETTINGS or PING that acknowledges a frame of this side.
    package var acknowledges: Bool
    /// Its stream; 0 for the connection.
    package var streamID: Int32
    /// The code of an RST_STREAM; 0 for other frames.
    package var errorCode: UInt32
    /// Whether it is a DATA frame without data that does not end the stream.
    package var isEmptyData: Bool
    /// The length of its payload in bytes, without the header of the frame.
    package var byteCount: Int
    /// Whether it is a HEADERS or DATA frame that ends the stream.
    package var endsStream: Bool
}

/// A request that the server role received.
package struct HTTP2Request: Sendable {
    package var streamID: Int32
    /// All fields with the pseudo-headers, in the order of arrival.
    package var headers: HeaderBlock
    /// The body, up to the limit of the session.
    package var body: [UInt8]
    /// The length of the whole body, in bytes.
    package var bodyByteCount: Int
    /// Whether the stream was beyond a limit that the client had not acknowledged.
    package var isBeyondAnnouncedLimit = false
}

/// Why the server role refuses a request.
package enum HTTP2Refusal: Equatable, Sendable {
    /// The request breaks a rule of HTTP/2, and its stream is reset with this code. The text is for people, and
    /// contains no value of a header field.
    case malformed(code: UInt32, String)
    /// HTTP/2 allows the request, but this side does not accept it: its stream is reset with this code. The text is for
    /// people, and contains no value of a header field.
    case notTaken(code: UInt32, String)
    /// The stream is beyond a limit that the client has not acknowledged, and it is reset with REFUSED_STREAM.
    case beyondAnnouncedLimit
    /// The stream is beyond a limit that the client has not acknowledged. Such streams are served, but only up to this
    /// number.
    case tooManyEarlyStreams(maximum: Int)
    /// The stream is beyond the limit that the client has acknowledged: the connection must end.
    case beyondAcknowledgedLimit
}

/// The data received on a stream of the client role.
package struct HTTP2Response: Sendable {
    /// The final status; `nil` before it is received.
    package var status: Int?
    package var headers: HeaderBlock
    /// The body, up to the limit of the session.
    package var body: [UInt8]
    /// The length of the whole body, in bytes.
    package var bodyByteCount: Int
}

package struct HTTP2StreamEnd: Sendable {
    package enum Cause: Hashable, Sendable {
        case answered
        /// The peer reported that it did not process the stream: REFUSED_STREAM, or a GOAWAY with a lower stream id.
        case unprocessed
        case resetByPeer(UInt32)
        /// This side reset the stream: on request, or because the received data was malformed.
        case resetHere(UInt32)
        /// The connection ended first.
        case connectionLost
    }

    package var streamID: Int32
    package var tag: Int
    package var cause: Cause
    package var response: HTTP2Response
}

/// The error codes of RST_STREAM and GOAWAY (RFC 9113 section 7). Unknown numbers are allowed.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let noError = HTTP2ErrorCode(rawValue: 0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 1)
    package static let internalError = HTTP2ErrorCode(rawValue: 2)
    package static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    package static let cancel = HTTP2ErrorCode(rawValue: 8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    package var description: String {
        Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "error code \(rawValue)"
    }
}
