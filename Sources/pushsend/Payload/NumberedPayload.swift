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
        guard let tree = try? JSONReader.tree(payload.bytes), let end = Self.endOfText(tree) else {
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
        var bytes = payload.bytes
        let space = range.isEmpty ? " " : ""
        bytes.replaceSubrange(range, with: "\(space)(\(first + index))".utf8)
        return PushPayload(json: bytes, pushType: payload.pushType)
    }

    /// Returns the end of the visible text: of the alert itself, its body, or its title.
    private static func endOfText(_ tree: JSONTree) -> Int? {
        guard let aps = tree.member("aps", of: JSONTree.root), let alert = tree.member("alert", of: aps) else {
            return nil
        }
        let texts = [alert, tree.member("body", of: alert), tree.member("title", of: alert)]
        let text = texts.compactMap { $0 }.first { tree.nodes[$0].kind == .string }
        return text.map { tree.range(of: $0).upperBound - 1 }
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
