/// The address of one app on one device: the hex digits in the path of a push request.
///
/// Any even number of hex digits up to 200 is taken. Apple asks senders twice not to assume a length: app tokens have
/// 64 digits today, those of Live Activities 160. The letter case is kept as given.
public struct DeviceToken: Hashable, Sendable {
    /// The digits, as given.
    public let hex: String

    /// Takes hex digits.
    ///
    /// - Parameter hex: An even number of hex digits, 2 to 200, without spaces or brackets.
    /// - Throws: ``DeviceTokenError``, which says what is wrong and names no more than the token's ends.
    public init(_ hex: String) throws(DeviceTokenError) {
        if let problem = DeviceTokenError.problem(in: hex) { throw problem }
        self.hex = hex
    }

    /// Takes the bytes that the app received from the system.
    ///
    /// - Parameter bytes: 1 to 100 bytes.
    /// - Throws: ``DeviceTokenError`` when there are none or too many.
    public init(bytes: some Sequence<UInt8>) throws(DeviceTokenError) {
        let digits = Array("0123456789abcdef".utf8)
        try self.init(
            String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        )
    }

    /// The first 8 and the last 4 digits: what logs and errors may show.
    public var shortened: String { Self.shortened(hex) }

    /// Shortens anything that may be a token, whole tokens being data about a person.
    ///
    /// - Parameter text: A token or what was taken for one.
    /// - Returns: The text itself up to 12 characters, otherwise its first 8, an ellipsis and its last 4.
    public static func shortened(_ text: String) -> String {
        var text = text
        let isToken = text.withUTF8 { $0.count > 12 && HexDigits.areAll($0) }
        guard isToken else { return text.count <= 12 ? text : "\(text.prefix(8))…\(text.suffix(4))" }
        // Mostly it is one, and digits are bytes.
        return "\(Substring(text.utf8.prefix(8)))…\(Substring(text.utf8.suffix(4)))"
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The shortened token, so that an interpolation in a log gives nothing away.
    public var description: String { shortened }
    /// The shortened token.
    public var debugDescription: String { shortened }
}
