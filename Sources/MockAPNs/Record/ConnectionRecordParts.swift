public import PushPlatform

/// The number of frames of each type. nghttp2 reports only the types that it knows.
struct FrameCounts: Sendable, Hashable {
    private var counts = [Int](repeating: 0, count: 16)

    mutating func add(_ type: UInt8) {
        if counts.indices.contains(Int(type)) { counts[Int(type)] += 1 }
    }

    var byType: [MockHTTP2FrameType: Int] {
        let present = counts.enumerated().filter { $0.element > 0 }
        return Dictionary(
            uniqueKeysWithValues: present.map { (MockHTTP2FrameType(rawValue: UInt8($0.offset)), $0.element) })
    }
}

/// The flow-control windows of a connection (RFC 9113 section 5.2), in bytes.
public struct MockConnectionWindows: Sendable, Hashable {
    /// The number of bytes that the client may still send.
    public let receiving: Int
    /// The number of bytes that the mock may still send.
    public let sending: Int
}

/// A frame on a stream.
public struct MockHTTP2FrameUse: Sendable, Hashable {
    /// When the mock received or sent it.
    public let at: Date
    /// Its type.
    public let type: MockHTTP2FrameType
    /// Whether the mock sent it. The client sent the others.
    public let isSent: Bool
    /// The length of its payload in bytes, without the header of the frame.
    public let byteCount: Int
    /// Whether it ends the stream.
    public let endsStream: Bool
}

/// How a connection ended.
public struct MockConnectionEnd: Sendable, Hashable {
    /// The side that ended a connection.
    public enum Side: String, Sendable, Hashable {
        /// The client.
        case client
        /// The mock, because it was stopped or because of a client error.
        case mock
        /// The mock, because of a fault.
        case fault
    }

    /// When the connection ended.
    public let at: Date
    /// The side that ended it.
    public let side: Side
    /// How it ended, for example "the client closed TLS".
    public let how: String
}

/// One stream that a client has opened.
public struct MockStreamRecord: Sendable, Hashable {
    /// How a stream ended.
    public enum End: Sendable, Hashable {
        /// The complete answer was sent.
        case answered
        /// The client reset it.
        case resetByClient(MockHTTP2Code)
        /// The mock reset it, or declared it unprocessed by a GOAWAY. For a GOAWAY, the code is REFUSED_STREAM.
        case resetByMock(MockHTTP2Code)
    }

    /// The id of the stream.
    public let id: Int32
    /// When its headers arrived.
    public let openedAt: Date
    /// The fault that acted on it.
    public internal(set) var fault: MockFaultMark?
    /// How it ended; `nil` while it is open, and also if the connection ended first.
    public internal(set) var end: End?
    /// The frames on it, oldest first; at most 50. A CONTINUATION of the client is a part of its HEADERS. What a fault sends as
    /// raw frames or bytes is not among them.
    public internal(set) var frames: [MockHTTP2FrameUse] = []

    init(id: Int32, openedAt: Date) {
        self.id = id
        self.openedAt = openedAt
        // HEADERS and DATA of the client, and HEADERS of the mock: one allocation for a usual request.
        frames.reserveCapacity(4)
    }
}

/// A reset that a client has sent.
public struct MockStreamReset: Sendable, Hashable {
    /// The stream.
    public let streamID: Int32
    /// The code.
    public let code: MockHTTP2Code
    /// When it arrived.
    public let at: Date
}

/// Settings that the mock has sent.
public struct MockSettingsUse: Sendable, Hashable {
    /// The content of the frame.
    public let settings: MockFaultSettings
    /// When the frame was sent.
    public let sentAt: Date
    /// When the client acknowledged it; `nil` if it has not.
    public internal(set) var acknowledgedAt: Date?

    init(settings: MockFaultSettings, sentAt: Date) {
        self.settings = settings
        self.sentAt = sentAt
    }
}

/// A GOAWAY that was sent or received.
public struct MockGoAwayUse: Sendable, Hashable {
    /// The last stream that may be processed. Streams with higher ids are not.
    public let lastStreamID: Int32
    /// The error code.
    public let code: MockHTTP2Code
    /// The debug data as text, at most 500 characters.
    public let text: String
    /// When the frame was sent or received.
    public let at: Date

    init(lastStreamID: Int32, code: MockHTTP2Code, text: String, at now: Date) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.text = String(text.prefix(500))
        at = now
    }
}

/// A provider token on a connection, identified by its content. Its signature does not identify it: ES256 signatures are random.
public struct MockProviderTokenUse: Sendable, Hashable {
    /// The `kid`, at most 100 characters.
    public let keyID: String
    /// The `iss`, at most 100 characters.
    public let teamID: String
    /// The `iat`.
    public let issuedAt: Date
    /// When it was first used on the connection.
    public let firstSeen: Date

    init(keyID: String, teamID: String, issuedAt: Date, firstSeen: Date) {
        self.keyID = String(keyID.prefix(100))
        self.teamID = String(teamID.prefix(100))
        self.issuedAt = issuedAt
        self.firstSeen = firstSeen
    }

    func isSameToken(as other: MockProviderTokenUse) -> Bool {
        keyID == other.keyID && teamID == other.teamID && issuedAt == other.issuedAt
    }
}

/// The type of an HTTP/2 frame (RFC 9113 section 6). A CONTINUATION counts as a part of its HEADERS.
public struct MockHTTP2FrameType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Creates a frame type from any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// DATA.
    public static let data = MockHTTP2FrameType(rawValue: 0)
    /// HEADERS.
    public static let headers = MockHTTP2FrameType(rawValue: 1)
    /// PRIORITY.
    public static let priority = MockHTTP2FrameType(rawValue: 2)
    /// RST_STREAM.
    public static let resetStream = MockHTTP2FrameType(rawValue: 3)
    /// SETTINGS.
    public static let settings = MockHTTP2FrameType(rawValue: 4)
    /// PUSH_PROMISE.
    public static let pushPromise = MockHTTP2FrameType(rawValue: 5)
    /// PING.
    public static let ping = MockHTTP2FrameType(rawValue: 6)
    /// GOAWAY.
    public static let goAway = MockHTTP2FrameType(rawValue: 7)
    /// WINDOW_UPDATE.
    public static let windowUpdate = MockHTTP2FrameType(rawValue: 8)

    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    ]

    /// The name in the RFC, or the number.
    public var description: String {
        Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "frame type \(rawValue)"
    }
}
