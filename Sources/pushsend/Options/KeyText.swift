import PushPlatform

/// The text of a key in a variable. Secret stores and CI systems put it on one line, or encode it.
enum KeyText {
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    /// Returns the key as in its file. Text in an unknown form is returned unchanged, so that the error is about the
    /// given text.
    static func lines(of text: String) -> String {
        let plain = decoded(text).replacing("\\r", with: "").replacing("\\n", with: "\n")
        guard let head = plain.firstRange(of: begin), let tail = plain.firstRange(of: end),
            head.upperBound <= tail.lowerBound
        else { return plain }
        let body = plain[head.upperBound..<tail.lowerBound].filter { !$0.isWhitespace }
        return "\(begin)\n\(body)\n\(end)\n"
    }

    /// Decodes the base64 of a whole file.
    private static func decoded(_ text: String) -> String {
        let base64 = text.filter { !$0.isWhitespace }
        guard base64.hasPrefix("LS0tLS1CRUdJTi"), let data = Data(base64Encoded: String(base64)) else { return text }
        return String(decoding: data, as: UTF8.self)
    }
}
