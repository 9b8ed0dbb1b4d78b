/// What the bytes of the peer meant.
package enum HTTP2Event: Sendable {
    /// The peer's settings are in force, now and after each change.
    case settingsReceived(HTTP2Settings)
    /// Server role, where the session is asked for it: the fields of a request have arrived, and its body is still to come.
    case headersReceived(HTTP2Request)
    /// Server role: a whole request has arrived.
    case requestReceived(HTTP2Request)
    /// Server role: a request whose stream this side has reset, and why. It is not received by ``requestReceived(_:)``.
    case requestRefused(HTTP2Request, HTTP2Refusal)
    /// A stream is over. Comes exactly once for each stream that was opened.
    case streamEnded(HTTP2StreamEnd)
    /// The peer takes no new streams.
    case goAwayReceived(HTTP2GoAway)
    /// The answer to a PING of ours.
    case pingAnswered(UInt64)
}

/// The settings of a peer that matter to the other side.
package struct HTTP2Settings: Equatable, Sendable {
    /// How many streams may be open at a time; `nil` when the peer sets no limit.
    package var maxConcurrentStreams: UInt32?
    /// The flow-control window that each new stream starts with, in bytes.
    package var initialWindowSize: UInt32?
    /// The longest list of header fields, in bytes of RFC 9113 section 6.5.2.
    package var maxHeaderListSize: UInt32?
    /// The size of the HPACK table, in bytes.
    package var headerTableSize: UInt32?
    /// The largest frame, in bytes.
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
    /// At Apple's: JSON with a reason, or plain text, or nothing.
    package var debugData: [UInt8]
}

/// A frame that the peer has sent whole.
package struct HTTP2FrameNote: Equatable, Sendable {
    /// Its type, as RFC 9113 numbers them. A CONTINUATION is a part of its HEADERS.
    package var type: UInt8
    /// A SETTINGS or PING that acknowledges one of this side.
    package var acknowledges: Bool
    /// Its stream, 0 for the connection.
    package var streamID: Int32
    /// The code of an RST_STREAM, 0 for the others.
    package var errorCode: UInt32
    /// A DATA that carries nothing and ends nothing.
    package var isEmptyData: Bool
}

/// A request as the server role received it.
package struct HTTP2Request: Sendable {
    package var streamID: Int32
    /// All fields, pseudo-headers included, in the order of arrival.
    package var headers: HeaderBlock
    /// The body, cut at the session's limit.
    package var body: [UInt8]
    /// How long the body really was.
    package var bodyByteCount: Int
    /// The stream was beyond a limit that the client had not acknowledged.
    package var isBeyondAnnouncedLimit = false
}

/// Why the server role does not take a request.
package enum HTTP2Refusal: Equatable, Sendable {
    /// The request breaks a rule of HTTP/2, and its stream is reset with this code. The text is for people; it holds no
    /// value of a header field.
    case malformed(code: UInt32, String)
    /// HTTP/2 allows the request, and this side does not take it: its stream is reset with this code. The text is for people,
    /// as above.
    case notTaken(code: UInt32, String)
    /// The stream is beyond a limit that the client has not acknowledged, and it is reset with REFUSED_STREAM.
    case beyondAnnouncedLimit
    /// The same, where such streams are served: there are more than this number of them.
    case tooManyEarlyStreams(most: Int)
    /// The stream is beyond the limit that the client has acknowledged: the connection has to end.
    case beyondAcknowledgedLimit
}

/// What was received on a stream of the client role.
package struct HTTP2Response: Sendable {
    /// The final status; `nil` while none has come.
    package var status: Int?
    package var headers: HeaderBlock
    /// The body, cut at the session's limit.
    package var body: [UInt8]
    /// How long the body really was.
    package var bodyByteCount: Int
}

/// How a stream came to its end.
package struct HTTP2StreamEnd: Sendable {
    /// Why the stream is over.
    package enum Cause: Hashable, Sendable {
        /// The answer is complete.
        case answered
        /// The peer says that it did not process the stream: REFUSED_STREAM, or a GOAWAY below it.
        case unprocessed
        /// The peer reset the stream.
        case resetByPeer(UInt32)
        /// This side reset the stream: on request, or because what came was malformed.
        case resetHere(UInt32)
        /// The connection ended first.
        case connectionLost
    }

    package var streamID: Int32
    /// What the opener of the stream gave to know it by.
    package var tag: Int
    package var cause: Cause
    package var response: HTTP2Response
}
