import PushPlatform

package enum TokenText {
    /// One spelling for each device token: a token in hex gets lower-case letters.
    package static func canonical(_ token: String) -> String {
        HexText.bytes(of: token).map { HexText.of($0) } ?? token
    }

    /// How a caller may write a device token that is a key: as given, in lower case, and in upper case.
    package static func spellings(of token: String) -> [String] {
        Set([token, canonical(token), token.uppercased()]).sorted()
    }
}
