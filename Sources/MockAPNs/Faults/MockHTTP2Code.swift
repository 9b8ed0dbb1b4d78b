internal import PushWire

/// An error code of RST_STREAM or GOAWAY (RFC 9113 section 7). Any number is possible.
public struct MockHTTP2Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt32

    /// Creates an error code from any number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Creates an error code from its name in the RFC, for example `REFUSED_STREAM`; `nil` if the name is unknown.
    public init?(name: String) {
        guard let number = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt32(number))
    }

    /// NO_ERROR, 0.
    public static let noError = MockHTTP2Code(rawValue: 0)
    /// PROTOCOL_ERROR, 1.
    public static let protocolError = MockHTTP2Code(rawValue: 1)
    /// INTERNAL_ERROR, 2.
    public static let internalError = MockHTTP2Code(rawValue: 2)
    /// FLOW_CONTROL_ERROR, 3.
    public static let flowControlError = MockHTTP2Code(rawValue: 3)
    /// SETTINGS_TIMEOUT, 4.
    public static let settingsTimeout = MockHTTP2Code(rawValue: 4)
    /// STREAM_CLOSED, 5.
    public static let streamClosed = MockHTTP2Code(rawValue: 5)
    /// FRAME_SIZE_ERROR, 6.
    public static let frameSizeError = MockHTTP2Code(rawValue: 6)
    /// REFUSED_STREAM, 7: the request was not processed.
    public static let refusedStream = MockHTTP2Code(rawValue: 7)
    /// CANCEL, 8.
    public static let cancel = MockHTTP2Code(rawValue: 8)
    /// COMPRESSION_ERROR, 9.
    public static let compressionError = MockHTTP2Code(rawValue: 9)
    /// CONNECT_ERROR, 10.
    public static let connectError = MockHTTP2Code(rawValue: 10)
    /// ENHANCE_YOUR_CALM, 11.
    public static let enhanceYourCalm = MockHTTP2Code(rawValue: 11)
    /// INADEQUATE_SECURITY, 12.
    public static let inadequateSecurity = MockHTTP2Code(rawValue: 12)
    /// HTTP_1_1_REQUIRED, 13.
    public static let http11Required = MockHTTP2Code(rawValue: 13)

    private static let names = (0...13).map { HTTP2ErrorCode(rawValue: $0).description }

    /// The name in the RFC; `nil` if the number has none.
    var name: String? { Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : nil }

    /// The name in the RFC, or the number.
    public var description: String { name ?? "error code \(rawValue)" }

    var onTheWire: HTTP2ErrorCode { HTTP2ErrorCode(rawValue: rawValue) }
}

extension MockHTTP2Code: Codable {
    /// Decodes a name from the RFC or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        guard let name = try? String(from: decoder) else {
            self.init(rawValue: try UInt32(fault: try Int64(from: decoder), "code"))
            return
        }
        guard let code = MockHTTP2Code(name: name) else {
            throw MockFaultError.malformed(
                "Unknown error code \(Finding.quote(name)). Use a name from RFC 9113 section 7, or a number.")
        }
        self = code
    }

    /// Encodes the name if there is one, otherwise the number.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if let name { try name.encode(to: encoder) } else { try rawValue.encode(to: encoder) }
    }
}
