/// A frame of HTTP/2 as a fault wants it, legal or not (RFC 9113 section 4.1).
///
///     .frame(FaultFrame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 2])))
public struct FaultFrame: Sendable, Hashable {
    /// What kind of frame. Any number can be one.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Takes any number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// DATA, 0.
        public static let data = Kind(rawValue: 0)
        /// HEADERS, 1.
        public static let headers = Kind(rawValue: 1)
        /// PRIORITY, 2.
        public static let priority = Kind(rawValue: 2)
        /// RST_STREAM, 3.
        public static let resetStream = Kind(rawValue: 3)
        /// SETTINGS, 4.
        public static let settings = Kind(rawValue: 4)
        /// PUSH_PROMISE, 5.
        public static let pushPromise = Kind(rawValue: 5)
        /// PING, 6.
        public static let ping = Kind(rawValue: 6)
        /// GOAWAY, 7.
        public static let goAway = Kind(rawValue: 7)
        /// WINDOW_UPDATE, 8.
        public static let windowUpdate = Kind(rawValue: 8)
        /// CONTINUATION, 9.
        public static let continuation = Kind(rawValue: 9)
        /// ALTSVC, 10 (RFC 7838).
        public static let altService = Kind(rawValue: 10)
        /// ORIGIN, 12 (RFC 8336).
        public static let origin = Kind(rawValue: 12)
        /// PRIORITY_UPDATE, 16 (RFC 9218).
        public static let priorityUpdate = Kind(rawValue: 16)

        static let names: [(Kind, String)] = [
            (.data, "DATA"), (.headers, "HEADERS"), (.priority, "PRIORITY"), (.resetStream, "RST_STREAM"),
            (.settings, "SETTINGS"), (.pushPromise, "PUSH_PROMISE"), (.ping, "PING"), (.goAway, "GOAWAY"),
            (.windowUpdate, "WINDOW_UPDATE"), (.continuation, "CONTINUATION"), (.altService, "ALTSVC"),
            (.origin, "ORIGIN"), (.priorityUpdate, "PRIORITY_UPDATE"),
        ]
    }

    /// The flags of a frame.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte on the wire.
        public let rawValue: UInt8

        /// Takes any byte.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// END_STREAM of DATA and HEADERS, 1.
        public static let endStream = Flags(rawValue: 1)
        /// ACK of SETTINGS and PING, 1.
        public static let acknowledges = Flags(rawValue: 1)
        /// END_HEADERS, 4.
        public static let endHeaders = Flags(rawValue: 4)
        /// PADDED, 8.
        public static let padded = Flags(rawValue: 8)
        /// PRIORITY of HEADERS, 32.
        public static let priority = Flags(rawValue: 32)

        static let names: [(Flags, String)] = [
            (.endStream, "END_STREAM"), (.endHeaders, "END_HEADERS"), (.padded, "PADDED"), (.priority, "PRIORITY"),
        ]
    }

    /// The stream that it stands on.
    public enum Stream: Sendable, Hashable {
        /// The connection as a whole, 0.
        case connection
        /// That of the request that the fault acts on. Requests only.
        case this
        /// One that the client has not opened yet: the next one.
        case idle
        /// One with this id, 0 to 2 147 483 647.
        case id(Int32)
    }

    /// One header field.
    public struct Field: Sendable, Hashable {
        /// Its name, as it is to be on the wire.
        public var name: String
        /// Its value.
        public var value: String

        /// Takes name and value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What is in it.
    public enum Payload: Sendable, Hashable {
        /// These bytes, at most 1 MiB.
        case bytes(FaultBytes)
        /// Header fields, as HPACK that needs no table.
        case fields([Field])
    }

    /// What kind of frame.
    public var kind: Kind
    /// Its flags.
    public var flags: Flags
    /// The stream that it stands on.
    public var stream: Stream
    /// What is in it.
    public var payload: Payload
    /// The length that it says it has, 0 to 16 777 215; `nil` for the true one.
    public var saidLength: Int?

    /// Takes the parts of a frame with bytes in it.
    ///
    /// - Parameters:
    ///   - kind: What kind of frame.
    ///   - flags: Its flags.
    ///   - stream: The stream that it stands on.
    ///   - payload: What is in it.
    ///   - saidLength: The length that it says it has; `nil` for the true one.
    public init(
        _ kind: Kind, flags: Flags = [], on stream: Stream = .connection, payload: FaultBytes = .bytes([]),
        saidLength: Int? = nil
    ) {
        self.init(kind, flags, stream, .bytes(payload), saidLength)
    }

    /// Takes the parts of a frame with header fields in it.
    ///
    /// - Parameters:
    ///   - kind: What kind of frame.
    ///   - flags: Its flags.
    ///   - stream: The stream that it stands on.
    ///   - fields: The header fields, in this order and as they are.
    public init(_ kind: Kind, flags: Flags = [], on stream: Stream, fields: [Field]) {
        self.init(kind, flags, stream, .fields(fields), nil)
    }

    init(_ kind: Kind, _ flags: Flags, _ stream: Stream, _ payload: Payload, _ saidLength: Int?) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
        self.saidLength = saidLength
    }

    /// Its bytes, on the stream that it stands on.
    func onTheWire(_ streamID: Int32) -> [UInt8] {
        let payload = payload.onTheWire
        let length = UInt32(saidLength ?? payload.count)
        let header = [length << 8 | UInt32(kind.rawValue)].map(\.bigEndian)
        let stream = [UInt32(bitPattern: streamID)].map(\.bigEndian)
        return header.withUnsafeBytes(Array.init) + [flags.rawValue] + stream.withUnsafeBytes(Array.init) + payload
    }
}

extension FaultFrame.Payload {
    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .fields(let fields): fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
        }
    }

    var onTheWire: [UInt8] {
        switch self {
        case .bytes(let bytes): bytes.onTheWire
        case .fields(let fields): fields.flatMap { [0] + Self.text($0.name) + Self.text($0.value) }
        }
    }

    /// A text behind its length (RFC 7541 section 5.2), without Huffman's code.
    private static func text(_ text: String) -> [UInt8] {
        var length: [UInt8] = []
        var rest = text.utf8.count
        if rest < 127 {
            length.append(UInt8(rest))
        } else {
            length.append(127)
            rest -= 127
            while rest >= 128 {
                length.append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            length.append(UInt8(rest))
        }
        return length + Array(text.utf8)
    }
}
