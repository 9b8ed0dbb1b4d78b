extension MockFault {
    /// Any HTTP/2 frame, legal or not (RFC 9113 section 4.1).
    ///
    ///     .frame(MockFault.Frame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 2])))
    public struct Frame: Sendable, Hashable {
        /// The type of a frame. Any number is possible.
        public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
            /// The number on the wire.
            public let rawValue: UInt8

            /// Creates a type from any number.
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

            /// The name in the RFC, or the number.
            public var description: String {
                Self.names.first { $0.0 == self }?.1 ?? "frame type \(rawValue)"
            }

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

            /// Creates flags from any byte.
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

        package enum Payload: Sendable, Hashable {
            /// These bytes, at most 1 MiB.
            case bytes(MockFault.Bytes)
            /// Header fields, encoded with HPACK without its tables.
            case fields([MockRequest.Field])
        }

        /// The type of the frame.
        public var kind: Kind
        /// The flags of the frame.
        public var flags: Flags
        /// The stream of the frame.
        public var stream: Stream
        package var payload: Payload
        /// A false length for the frame header, 0 to 16 777 215; `nil` for the true one.
        public var declaredLength: Int?

        /// Creates a frame from bytes.
        ///
        /// - Parameters:
        ///   - kind: The type of the frame.
        ///   - flags: The flags of the frame.
        ///   - stream: The stream of the frame.
        ///   - payload: The payload of the frame.
        ///   - declaredLength: A false length for the frame header; `nil` for the true one.
        public init(
            _ kind: Kind, flags: Flags = [], on stream: Stream = .connection, payload: MockFault.Bytes = .bytes([]),
            declaredLength: Int? = nil
        ) {
            self.init(kind, flags, stream, .bytes(payload), declaredLength)
        }

        /// Creates a frame from header fields.
        ///
        /// - Parameters:
        ///   - kind: The type of the frame.
        ///   - flags: The flags of the frame.
        ///   - stream: The stream of the frame.
        ///   - fields: The header fields. They are sent unchanged and in this order.
        public init(_ kind: Kind, flags: Flags = [], on stream: Stream, fields: [MockRequest.Field]) {
            self.init(kind, flags, stream, .fields(fields), nil)
        }

        init(_ kind: Kind, _ flags: Flags, _ stream: Stream, _ payload: Payload, _ declaredLength: Int?) {
            self.kind = kind
            self.flags = flags
            self.stream = stream
            self.payload = payload
            self.declaredLength = declaredLength
        }

        func onTheWire(_ streamID: Int32) -> [UInt8] {
            let payload = payload.onTheWire
            let length = UInt32(declaredLength ?? payload.count)
            let header = [length << 8 | UInt32(kind.rawValue)].map(\.bigEndian)
            let stream = [UInt32(bitPattern: streamID)].map(\.bigEndian)
            return header.withUnsafeBytes(Array.init) + [flags.rawValue] + stream.withUnsafeBytes(Array.init) + payload
        }
    }
}

extension MockFault.Frame.Payload {
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

    /// Encodes a string with its length before it (RFC 7541 section 5.2), without Huffman coding.
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
