internal import APNSVocabulary
import PushJSON

/// A JSON object around the list of pushes, as answers of APIs have it: `{"count":2,"results":[…]}`.
enum ListWrapper {
    /// Returns the advice for a text that begins with such an object; `nil` for other text, such as one with a line for each push.
    ///
    /// - Parameter text: The beginning of a file. It may end anywhere.
    /// - Returns: The advice.
    static func problem(_ text: ArraySlice<UInt8>) -> BatchInputError? {
        guard let (key, isOfTexts) = list(in: text) else { return nil }
        let isName = !key.isEmpty && key.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
        let path = isName ? ".\(key)[]" : "to_entries[] | .value[]?"
        let shown = PeerText.printable(String(key.prefix(40)))
        return BatchInputError(
            code: .unknownFormat,
            description: """
                It is one JSON object, with a list in "\(shown)". \
                \(isOfTexts
                    ? "Convert it to one device token per line with jq -r '\(path)'."
                    : "Convert it to one object per line with jq -c '\(path)'.")
                """)
    }

    /// Returns the first member that is a list of objects or texts, if the object has no device token.
    private static func list(in text: ArraySlice<UInt8>) -> (key: String, isOfTexts: Bool)? {
        Array(text).withUnsafeBufferPointer { json in
            var scanner = JSONScanner(json)
            var found: (key: String, isOfTexts: Bool)?
            // The scanner throws at the end of what has arrived.
            do throws(JSONScanner.Problem) {
                scanner.skipSpace()
                guard scanner.take("{") else { return nil }
                while true {
                    scanner.skipSpace()
                    guard scanner.peek == UInt8(ascii: "\"") else { break }
                    let range = try scanner.string()
                    let key = JSONBytes.text(json, range) ?? ""
                    if CSVColumns.isToken(key) { return nil }
                    scanner.skipSpace()
                    guard scanner.take(":") else { break }
                    scanner.skipSpace()
                    if found == nil, scanner.peek == UInt8(ascii: "[") {
                        let first = json[(scanner.at + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                        if first == UInt8(ascii: "{") || first == UInt8(ascii: "\"") {
                            found = (key, first == UInt8(ascii: "\""))
                        }
                    }
                    _ = try scanner.value()
                    scanner.skipSpace()
                    guard scanner.take(",") else { break }
                }
                // Another object follows: these are lines, and the first one has a mistake.
                if scanner.take("}") {
                    scanner.skipSpace()
                    if scanner.peek == UInt8(ascii: "{") { return nil }
                }
            } catch {
                // What is known so far decides.
            }
            return found
        }
    }
}
