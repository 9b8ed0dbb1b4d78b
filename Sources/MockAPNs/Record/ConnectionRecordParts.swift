package import PushPlatform

/// The number of frames of each type. nghttp2 reports only the types that it knows.
struct FrameCounts: Sendable, Hashable {
    private var counts = [Int](repeating: 0, count: 16)

    mutating func add(_ type: UInt8) {
        if counts.indices.contains(Int(type)) { counts[Int(type)] += 1 }
    }

    var byType: [MockFault.Frame.Kind: Int] {
        let present = counts.enumerated().filter { $0.element > 0 }
        return Dictionary(
            uniqueKeysWithValues: present.map { (MockFault.Frame.Kind(rawValue: UInt8($0.offset)), $0.element) })
    }
}

/// The flow-control windows of a connection (RFC 9113 section 5.2), in bytes.
package struct MockConnectionWindows: Sendable, Hashable {
    /// The number of bytes that the client may still send.
    package let receiving: Int
    /// The number of bytes that the mock may still send.
    package let sending: Int
}

package struct MockHTTP2FrameUse: Sendable, Hashable {
    /// When the mock received or sent it.
    package let at: Date
    package let type: MockFault.Frame.Kind
    /// Whether the mock sent it. The client sent the others.
    package let isSent: Bool
    /// The length of its payload in bytes, without the header of the frame.
    package let byteCount: Int
    package let endsStream: Bool
}

package struct MockConnectionEnd: Sendable, Hashable {
    package enum Side: String, Sendable, Hashable {
        case client
        /// The mock, because it was stopped or because of a client error.
        case mock
        /// The mock, because of a fault.
        case fault
    }

    package let at: Date
    package let side: Side
    /// How it ended, for example "the client closed TLS".
    package let how: String
}

package struct MockStreamRecord: Sendable, Hashable {
    package enum End: Sendable, Hashable {
        /// The complete answer was sent.
        case answered
        case resetByClient(MockHTTP2Code)
        /// The mock reset it, or declared it unprocessed by a GOAWAY. For a GOAWAY, the code is REFUSED_STREAM.
        case resetByMock(MockHTTP2Code)
    }

    package let id: Int32
    /// When its headers arrived.
    package let openedAt: Date
    package internal(set) var fault: MockFault.Mark?
    /// How it ended; `nil` while it is open, and also if the connection ended first.
    package internal(set) var end: End?
    /// The frames on it, oldest first; at most 50. A CONTINUATION of the client is a part of its HEADERS. What a fault sends as
    /// raw frames or bytes is not among them.
    package var frames: [MockHTTP2FrameUse] { frameList.all }

    var frameList = FrameList()
}

/// The frames of a stream. A usual request has HEADERS and DATA of the client, and HEADERS of the mock: they need no memory of their own.
struct FrameList: Sendable, Hashable {
    private var first: MockHTTP2FrameUse?
    private var second: MockHTTP2FrameUse?
    private var third: MockHTTP2FrameUse?
    private var others: [MockHTTP2FrameUse] = []

    var all: [MockHTTP2FrameUse] { [first, second, third].compactMap(\.self) + others }

    var count: Int { third == nil ? (first == nil ? 0 : second == nil ? 1 : 2) : 3 + others.count }

    mutating func append(_ frame: MockHTTP2FrameUse) {
        if first == nil {
            first = frame
        } else if second == nil {
            second = frame
        } else if third == nil {
            third = frame
        } else {
            others.append(frame)
        }
    }
}

package struct MockStreamReset: Sendable, Hashable {
    package let streamID: Int32
    package let code: MockHTTP2Code
    package let at: Date
}

package struct MockSettingsUse: Sendable, Hashable {
    package let settings: MockFault.Settings
    package let sentAt: Date
    /// When the client acknowledged it; `nil` if it has not.
    package internal(set) var acknowledgedAt: Date?
}

package struct MockGoAwayUse: Sendable, Hashable {
    /// The last stream that may be processed. Streams with higher ids are not.
    package let lastStreamID: Int32
    package let code: MockHTTP2Code
    /// The debug data as text, at most 500 characters.
    package let text: String
    /// When the frame was sent or received.
    package let at: Date

    init(lastStreamID: Int32, code: MockHTTP2Code, text: String, at now: Date) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.text = String(text.prefix(500))
        at = now
    }
}

/// A provider token on a connection, identified by its content. Its signature does not identify it: ES256 signatures are random.
package struct MockProviderTokenUse: Sendable, Hashable {
    /// The `kid`, at most 100 characters.
    package let keyID: String
    /// The `iss`, at most 100 characters.
    package let teamID: String
    package let issuedAt: Date
    /// When it was first used on the connection.
    package let firstSeen: Date

    func isSameToken(as other: MockProviderTokenUse) -> Bool {
        keyID == other.keyID && teamID == other.teamID && issuedAt == other.issuedAt
    }
}
