/// A device token: the address of one app on one device, as hex digits in the path of a push request.
///
/// Any even number of hex digits up to 200 is accepted. Apple asks senders not to assume a length: today app tokens
/// have 64 digits, those of Live Activities have 160. Upper and lower case are not changed.
public struct DeviceToken: Hashable, Sendable {
    /// The hex digits, as given.
    public let hex: String

    /// Creates a device token from hex digits.
    ///
    /// - Parameter hex: An even number of hex digits, 2 to 200, without spaces or brackets.
    /// - Throws: ``DeviceTokenError``. Its description contains only the first and last digits of the token.
    public init(_ hex: String) throws(DeviceTokenError) {
        if let problem = DeviceTokenError.problem(in: hex) { throw problem }
        self.hex = hex
    }

    /// Creates a device token from the bytes that the app received from the system.
    ///
    /// - Parameter bytes: 1 to 100 bytes.
    /// - Throws: ``DeviceTokenError`` if there are no bytes or too many.
    public init(bytes: some Sequence<UInt8>) throws(DeviceTokenError) {
        let digits = Array("0123456789abcdef".utf8)
        try self.init(
            String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        )
    }

    /// The first 8 and the last 4 digits, for logs and errors.
    public var shortened: String { Self.shortened(hex) }

    /// Shortens a text that may be a device token, because a complete token is personal data.
    ///
    /// - Parameter text: A device token, or a text that may be one.
    /// - Returns: The text itself up to 12 characters; otherwise its first 8 characters, an ellipsis and its last 4.
    public static func shortened(_ text: String) -> String {
        var text = text
        let isToken = text.withUTF8 { $0.count > 12 && HexDigits.areAll($0) }
        guard isToken else { return text.count <= 12 ? text : "\(text.prefix(8))…\(text.suffix(4))" }
        // Hex digits are ASCII, so bytes can be cut.
        return "\(Substring(text.utf8.prefix(8)))…\(Substring(text.utf8.suffix(4)))"
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The shortened token, so that a log does not contain the complete token.
    public var description: String { shortened }
    /// The shortened token.
    public var debugDescription: String { shortened }
}
