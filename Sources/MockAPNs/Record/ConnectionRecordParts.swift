/// How a connection ended.
public struct ConnectionEnd: Sendable, Hashable {
    /// Who ended it.
    public enum Side: String, Sendable, Hashable {
        /// The client.
        case client
        /// The mock, because it was stopped, or because of what the client did.
        case mock
        /// The mock, because a fault wanted it so.
        case fault
    }

    /// When.
    public let at: Moment
    /// Who ended it.
    public let side: Side
    /// How, for example "the client closed TLS".
    public let how: String
}

/// One stream that a client has opened.
public struct StreamRecord: Sendable, Hashable {
    /// How a stream ended.
    public enum End: Sendable, Hashable {
        /// The answer was sent whole.
        case answered
        /// The client reset it.
        case resetByClient(HTTP2Code)
        /// The mock reset it, or declared it unprocessed by a GOAWAY: the code is then REFUSED_STREAM.
        case resetByMock(HTTP2Code)
    }

    /// Its id.
    public let id: Int32
    /// When its headers arrived.
    public let openedAt: Moment
    /// The fault that acted on it.
    public internal(set) var fault: FaultMark?
    /// How it ended; `nil` while it is open, and for ever when the connection ended first.
    public internal(set) var end: End?

    init(id: Int32, openedAt: Moment) {
        self.id = id
        self.openedAt = openedAt
    }
}

/// A reset that a client has sent.
public struct StreamReset: Sendable, Hashable {
    /// The stream.
    public let streamID: Int32
    /// The code.
    public let code: HTTP2Code
    /// When it arrived.
    public let at: Moment
}

/// Settings that the mock has sent.
public struct SettingsUse: Sendable, Hashable {
    /// What was in the frame.
    public let settings: FaultSettings
    /// When it was sent.
    public let sentAt: Moment
    /// When the client acknowledged it; `nil` when it has not.
    public internal(set) var acknowledgedAt: Moment?

    init(settings: FaultSettings, sentAt: Moment) {
        self.settings = settings
        self.sentAt = sentAt
    }
}

/// A GOAWAY that was sent or received.
public struct GoAwayUse: Sendable, Hashable {
    /// Streams above this one are not processed.
    public let lastStreamID: Int32
    /// The error code.
    public let code: HTTP2Code
    /// The text behind it, at most 500 characters of it.
    public let text: String
    /// When.
    public let at: Moment

    init(lastStreamID: Int32, code: HTTP2Code, text: String, at now: Moment) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.text = String(text.prefix(500))
        at = now
    }
}

/// A provider token on a connection, by what tells it apart: ES256 signatures are random.
public struct ProviderTokenUse: Sendable, Hashable {
    /// `kid`, at most 100 characters of it.
    public let keyID: String
    /// `iss`, at most 100 characters of it.
    public let teamID: String
    /// `iat`.
    public let issuedAt: Moment
    /// When the connection first carried it.
    public let firstSeen: Moment

    init(keyID: String, teamID: String, issuedAt: Moment, firstSeen: Moment) {
        self.keyID = String(keyID.prefix(100))
        self.teamID = String(teamID.prefix(100))
        self.issuedAt = issuedAt
        self.firstSeen = firstSeen
    }

    func isSameToken(as other: ProviderTokenUse) -> Bool {
        keyID == other.keyID && teamID == other.teamID && issuedAt == other.issuedAt
    }
}

/// The type of an HTTP/2 frame (RFC 9113 section 6). A CONTINUATION counts as a part of its HEADERS.
public struct FrameType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Takes any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// DATA.
    public static let data = FrameType(rawValue: 0)
    /// HEADERS.
    public static let headers = FrameType(rawValue: 1)
    /// PRIORITY.
    public static let priority = FrameType(rawValue: 2)
    /// RST_STREAM.
    public static let resetStream = FrameType(rawValue: 3)
    /// SETTINGS.
    public static let settings = FrameType(rawValue: 4)
    /// PUSH_PROMISE.
    public static let pushPromise = FrameType(rawValue: 5)
    /// PING.
    public static let ping = FrameType(rawValue: 6)
    /// GOAWAY.
    public static let goAway = FrameType(rawValue: 7)
    /// WINDOW_UPDATE.
    public static let windowUpdate = FrameType(rawValue: 8)

    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    ]

    /// The name of the RFC, or the number.
    public var description: String {
        Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "frame type \(rawValue)"
    }
}
