internal import PushJSON
import PushProvider

/// A payload with a counter in its text, so that otherwise equal pushes differ on the device: `Hello (1)`, `Hello (2)`.
/// If the text already ends with a number in brackets, counting continues from there.
struct NumberedPayload: Sendable {
    private let payload: PushPayload
    /// The range of the number with its brackets; empty if there is none yet.
    private let range: Range<Int>?
    private let first: Int

    init(_ payload: PushPayload) {
        self.payload = payload
        let text = JSONText(payload.bytes)
        guard JSONValue(json: payload.bytes) != nil, let end = Self.endOfText(text) else {
            (range, first) = (nil, 1)
            return
        }
        (range, first) = Self.number(before: end, in: payload.bytes)
    }

    /// Whether there is a text for the counter.
    var counts: Bool { range != nil }

    /// The payload of the push with this index, from 0.
    subscript(index: Int) -> PushPayload {
        guard let range else { return payload }
        var text = JSONText(payload.bytes)
        let space = range.isEmpty ? " " : ""
        text.replace(range, with: "\(space)(\(first + index))")
        return PushPayload(json: text.bytes, pushType: payload.pushType)
    }

    /// Returns the end of the visible text: of the alert itself, its body, or its title.
    private static func endOfText(_ text: JSONText) -> Int? {
        for path in [["aps", "alert"], ["aps", "alert", "body"], ["aps", "alert", "title"]] {
            if let range = text.value(at: path), text.isString(range) { return range.upperBound - 1 }
        }
        return nil
    }

    private static func number(before end: Int, in bytes: [UInt8]) -> (Range<Int>, Int) {
        let none = (end..<end, 1)
        guard bytes[..<end].last == UInt8(ascii: ")"),
            let open = bytes[..<end].lastIndex(of: UInt8(ascii: "(")),
            let number = Int(String(decoding: bytes[(open + 1)..<(end - 1)], as: UTF8.self)),
            number >= 0, number < 1_000_000_000
        else { return none }
        return (open..<end, number)
    }
}
