/// The format of a text that people use as a device token by mistake, if the format is certain.
///
/// All such formats are defined here. Error messages name them, and pasted text is recognized by them.
package enum DeviceTokenForm: Equatable {
    /// `Optional("5f3a…")`, an optional printed by Swift; with the text inside.
    case optional(String)
    /// `<5f3ad1c0 7b9e4286>` or digits with spaces, the description of `NSData` before iOS 13; with the digits.
    case spaced(String)
    /// `{length = 32, bytes = 0x5f3ad1c0 … 7b9e4286 }`, the description of `NSData` since iOS 13; with the digits if
    /// complete.
    case dataDescription(String?)
    /// `32 bytes`, the description of Swift's `Data`.
    case byteCount
    case base64
    /// The hex digits in base64, as `echo TOKEN | base64` prints them; with the digits.
    case base64OfHex(String)
    /// `ExponentPushToken[…]`
    case expo
    /// A registration token of Firebase Cloud Messaging.
    case firebase
    /// A UUID, such as the id of a subscription at OneSignal.
    case uuid

    /// Recognizes a format; `nil` if the text has none of these formats.
    ///
    /// - Parameter text: A text that is not hex, without spaces around it.
    package init?(_ text: String) {
        // No format is longer, and the text may be a whole file.
        guard (1...2000).contains(text.utf8.count) else { return nil }
        if let inside = Self.optional(text) {
            self = .optional(inside)
        } else if let digits = Self.spaced(text) {
            self = .spaced(digits)
        } else if let digits = Self.dataDescription(text) {
            self = .dataDescription(digits.isWhole ? digits.text : nil)
        } else if Self.isByteCount(text) {
            self = .byteCount
        } else if ["ExponentPushToken[", "ExpoPushToken["].contains(where: text.hasPrefix), text.hasSuffix("]") {
            self = .expo
        } else if Self.isFirebase(text) {
            self = .firebase
        } else if Self.isUUID(text) {
            self = .uuid
        } else if let digits = Self.base64OfHex(text) {
            self = .base64OfHex(digits)
        } else if Self.isBase64(text) {
            self = .base64
        } else {
            return nil
        }
    }

    // MARK: Forms

    private static func optional(_ text: String) -> String? {
        guard text.hasPrefix("Optional("), text.hasSuffix(")") else { return nil }
        let inside = text.dropFirst("Optional(".count).dropLast()
        guard inside.hasPrefix("\""), inside.hasSuffix("\""), inside.count >= 2 else { return String(inside) }
        return String(inside.dropFirst().dropLast())
    }

    /// The digits of a device token, as Apple issues them today.
    static let wholeLength = 64

    private static func spaced(_ text: String) -> String? {
        let isBracketed = text.hasPrefix("<") && text.hasSuffix(">")
        let inside = isBracketed ? text.dropFirst().dropLast() : Substring(text)
        let words = inside.split(separator: " ")
        let digits = words.joined()
        // Ordinary words can consist of hex digits: "dead beef".
        guard isBracketed || words.count > 1 && digits.utf8.count >= 32 else { return nil }
        // Two tokens are none.
        if words.count > 1, words.contains(where: { $0.utf8.count >= wholeLength }) { return nil }
        return !digits.isEmpty && HexDigits.areAll(digits) ? digits : nil
    }

    private static func dataDescription(_ text: String) -> (text: String, isWhole: Bool)? {
        let begin = "{length = "
        let middle = ", bytes = 0x"
        guard text.hasPrefix(begin), text.hasSuffix("}") else { return nil }
        let count = text.dropFirst(begin.count).prefix { $0.isASCII && $0.isNumber }
        let rest = text.dropFirst(begin.count + count.count)
        guard let bytes = Int(count), rest.hasPrefix(middle) else { return nil }
        let digits = rest.dropFirst(middle.count).dropLast().filter { $0 != " " }
        let isWhole = HexDigits.areAll(digits) && digits.utf8.count == 2 * min(bytes, 1000)
        return (digits, isWhole)
    }

    private static func isByteCount(_ text: String) -> Bool {
        let count = text.prefix { $0.isASCII && $0.isNumber }
        return (1...4).contains(count.count) && text.dropFirst(count.count) == " bytes"
    }

    /// Whether the text is a Firebase token: the id of the installation, a colon, and a part that always begins with
    /// these letters. Older tokens, and those that were cut at the colon, have only this part.
    private static func isFirebase(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard let last = parts.last, last.hasPrefix("APA91"), last.utf8.count >= 40 else { return false }
        return (parts.count == 1 || parts[0].utf8.count >= 8)
            && text.utf8.allSatisfy { $0.isBase64Digit || $0 == UInt8(ascii: ":") }
    }

    /// Whether a text is a UUID: 8-4-4-4-12 hex digits.
    package static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { HexDigits.areAll(String($0)) }
    }

    /// Returns the hex digits whose base64 the text is; `nil` for other text. A line end after the digits is removed.
    private static func base64OfHex(_ text: String) -> String? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        guard (40...280).contains(text.utf8.count), text.utf8.count - digits.count <= 2 else { return nil }
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for digit in digits {
            guard let value = digit.base64Value else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        let inside = String(decoding: bytes, as: UTF8.self)
        return bytes.count >= 32 && HexDigits.areAll(inside) ? inside : nil
    }

    /// Whether the text is base64. 32 bytes are 44 characters (43 without padding); a shorter text is probably not
    /// base64.
    private static func isBase64(_ text: String) -> Bool {
        let body = text.prefix { $0 != "=" }
        let padding = text.utf8.count - body.utf8.count
        guard padding <= 2, (40...140).contains(text.utf8.count) else { return false }
        // A few other letters among hex digits are a typing error; base64 has more of them.
        let strange = body.utf8.count { !$0.isHexDigit }
        return strange * 3 > body.utf8.count && body.utf8.allSatisfy { $0.isBase64Digit }
    }
}

extension DeviceTokenForm {
    private static let printing = """
        in the app, print deviceToken.map { String(format: "%02x", $0) }.joined()
        """

    /// Returns the error for a text of this format.
    ///
    /// - Parameter shown: The text, shortened for messages.
    /// - Returns: The error, with advice.
    func problem(_ shown: String) -> DeviceTokenError {
        if case .optional(let inside) = self, let inner = DeviceTokenForm(inside) { return inner.problem(shown) }
        let (code, message): (DeviceTokenError.Code, String) =
            switch self {
            case .optional:
                (.description, "is a printed Swift optional: give the value inside, or \(Self.printing).")
            case .spaced:
                (.notHex, "has brackets or spaces, but a token has only hex digits: remove the others.")
            case .dataDescription(let digits):
                (
                    .description,
                    digits == nil
                        ? "is a description without the middle of the token: \(Self.printing)."
                        : "is the description of a token, not its digits: \(Self.printing)."
                )
            case .byteCount:
                (.description, "is only the length of a token: \(Self.printing).")
            case .base64:
                (
                    .base64,
                    """
                    is base64, but APNs needs hex: convert it with base64 -d | xxd -p -c 100, or \(Self.printing).
                    """
                )
            case .base64OfHex:
                (.base64, "is the base64 of a device token: decode it with base64 -d, or \(Self.printing).")
            case .expo:
                (
                    .otherService,
                    """
                    is a token of Expo's push service (exp.host). For APNs, get the device token in the app with \
                    getDevicePushTokenAsync().
                    """
                )
            case .firebase:
                (
                    .otherService,
                    """
                    is a registration token of Firebase Cloud Messaging (fcm.googleapis.com). For APNs, the device token is in \
                    Messaging.messaging().apnsToken: in the app, print it with map { String(format: "%02x", $0) }.joined().
                    """
                )
            case .uuid:
                (
                    .otherService,
                    """
                    is a UUID, such as a subscription id of OneSignal or identifierForVendor. A device token has no hyphens: \
                    \(Self.printing).
                    """
                )
            }
        return DeviceTokenError(code, "The device token \"\(shown)\" \(message)")
    }
}

extension UInt8 {
    fileprivate var isBase64Digit: Bool { base64Value != nil }

    /// The value of a digit of base64, in one of its two alphabets (RFC 4648); `nil` for another character.
    package var base64Value: UInt32? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(self - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(self - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

enum HexDigits {
    /// Whether all characters are hex digits. It reads contiguous bytes: a string view takes four times as long, for
    /// each request.
    static func areAll(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(areAll)
    }

    /// Whether all bytes are hex digits. It has no early exit, so that the compiler can vectorize it.
    static func areAll(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text {
            let noDigit: UInt8 = byte &- UInt8(ascii: "0") < 10 ? 0 : 1
            let noLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 6 ? 0 : 1
            others |= noDigit & noLetter
        }
        return others == 0
    }
}

extension UInt8 {
    private var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
    /// Whether it is a letter or a digit of ASCII.
    var isLetterOrDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
