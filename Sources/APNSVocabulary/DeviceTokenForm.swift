/// What people take for a device token and is none, where its form says for certain what it is.
///
/// This is the only place that knows these forms: an error names them, and what is pasted is read by them.
package enum DeviceTokenForm: Equatable {
    /// `Optional("5f3a…")`, as Swift prints an optional; with what is inside.
    case optional(String)
    /// `<5f3ad1c0 7b9e4286>` or digits with spaces, as `NSData` described itself before iOS 13; with the digits.
    case spaced(String)
    /// `{length = 32, bytes = 0x5f3ad1c0 … 7b9e4286 }`, as `NSData` describes itself since; with the digits, where all of them are there.
    case dataDescription(String?)
    /// `32 bytes`, as Swift's `Data` describes itself.
    case byteCount
    /// The bytes in base64.
    case base64
    /// `ExponentPushToken[…]`
    case expo
    /// A registration token of Firebase Cloud Messaging.
    case firebase
    /// A UUID, such as the id of a subscription at OneSignal.
    case uuid

    /// Recognises a form; `nil` for a text of no such form.
    ///
    /// - Parameter text: A text that is not hex, without spaces around it.
    package init?(_ text: String) {
        // No form is so long, and a text may be a file.
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

    private static func spaced(_ text: String) -> String? {
        let isBracketed = text.hasPrefix("<") && text.hasSuffix(">")
        let inside = isBracketed ? text.dropFirst().dropLast() : Substring(text)
        let words = inside.split(separator: " ")
        let digits = words.joined()
        // Words of a text can be made of hex digits: "dead beef".
        guard isBracketed || words.count > 1 && digits.utf8.count >= 32 else { return nil }
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

    /// An id of the installation, a colon, and a part that has begun with these letters for as long as the service exists.
    private static func isFirebase(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1)
        return parts.count == 2 && parts[1].hasPrefix("APA91") && parts[1].utf8.count >= 40
            && parts[0].utf8.count >= 8 && text.utf8.allSatisfy { $0.isBase64Digit || $0 == UInt8(ascii: ":") }
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { HexDigits.areAll(String($0)) }
    }

    /// 32 bytes in base64 are 44 characters (43 unpadded); shorter texts are more likely something else.
    private static func isBase64(_ text: String) -> Bool {
        let body = text.prefix { $0 != "=" }
        let padding = text.utf8.count - body.utf8.count
        guard padding <= 2, (40...140).contains(text.utf8.count) else { return false }
        // A few strange letters among hex digits are a slip; base64 has more of them than of hex digits.
        let strange = body.utf8.count { !$0.isHexDigit }
        return strange * 3 > body.utf8.count && body.utf8.allSatisfy { $0.isBase64Digit }
    }
}

extension DeviceTokenForm {
    private static let printing = """
        in the app, print deviceToken.map { String(format: "%02x", $0) }.joined()
        """

    /// What is wrong with a text of this form.
    ///
    /// - Parameter shown: The text as it may be shown.
    /// - Returns: The error, with the way out.
    func problem(_ shown: String) -> DeviceTokenError {
        if case .optional(let inside) = self, let inner = DeviceTokenForm(inside) { return inner.problem(shown) }
        let (code, words): (DeviceTokenError.Code, String) =
            switch self {
            case .optional:
                (.description, "is what Swift prints of an optional: give what is in it, or \(Self.printing).")
            case .spaced:
                (.notHex, "has brackets or spaces, and a token is made of hex digits only: leave them out.")
            case .dataDescription(let digits):
                (
                    .description,
                    digits == nil
                        ? "is a description that leaves out the middle of the token: \(Self.printing)."
                        : "is the description of a token and not its digits: \(Self.printing)."
                )
            case .byteCount:
                (.description, "says how long the token is and not what it is: \(Self.printing).")
            case .base64: (.base64, "is base64, APNs wants hex: \(Self.printing).")
            case .expo:
                (
                    .otherService,
                    """
                    is one of Expo's push service, which takes it at exp.host. For APNs, the app asks for its own with \
                    getDevicePushTokenAsync().
                    """
                )
            case .firebase:
                (
                    .otherService,
                    """
                    is a registration token of Firebase Cloud Messaging, which takes it at fcm.googleapis.com. For APNs, the app has \
                    its own in Messaging.messaging().apnsToken: print it with map { String(format: "%02x", $0) }.joined().
                    """
                )
            case .uuid:
                (
                    .otherService,
                    """
                    is a UUID, such as the id of a subscription at OneSignal or of a vendor's device. A device token has no hyphens: \
                    \(Self.printing).
                    """
                )
            }
        return DeviceTokenError(code: code, description: "The device token \"\(shown)\" \(words)")
    }
}

extension UInt8 {
    fileprivate var isBase64Digit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
