/// JSON text as bytes, in which values can be found and changed without rewriting the rest.
///
/// The text must already be valid JSON. In other text, values may not be found.
struct JSONText {
    private(set) var bytes: [UInt8]

    /// A name and its value in an object.
    private struct Member {
        var name: String
        var start: Int
        var value: Range<Int>
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the range of a value, found by the names on its path.
    func value(at path: [String]) -> Range<Int>? {
        var range = 0..<bytes.count
        for name in path {
            guard let member = members(ofObjectAt: range.lowerBound).last(where: { $0.name == name }) else {
                return nil
            }
            range = member.value
        }
        return range
    }

    /// Whether the value is a string.
    func isString(_ range: Range<Int>) -> Bool {
        bytes[range].first == UInt8(ascii: "\"")
    }

    /// Removes a member of the outermost object, with its comma.
    mutating func removeMember(_ name: String) {
        while true {
            let all = members(ofObjectAt: 0)
            guard let index = all.firstIndex(where: { $0.name == name }) else { return }
            if index + 1 < all.count {
                bytes.removeSubrange(all[index].start..<all[index + 1].start)
            } else {
                let start = index > 0 ? all[index - 1].value.upperBound : all[index].start
                bytes.removeSubrange(start..<all[index].value.upperBound)
            }
        }
    }

    mutating func replace(_ range: Range<Int>, with text: String) {
        bytes.replaceSubrange(range, with: text.utf8)
    }

    // MARK: Finding

    private func members(ofObjectAt start: Int) -> [Member] {
        var found: [Member] = []
        var range = afterSpace(start)
        guard byte(range) == UInt8(ascii: "{") else { return [] }
        range = afterSpace(range + 1)
        while byte(range) == UInt8(ascii: "\"") {
            let nameEnd = endOfString(range)
            let colon = afterSpace(nameEnd)
            guard byte(colon) == UInt8(ascii: ":") else { break }
            let valueStart = afterSpace(colon + 1)
            let valueEnd = endOfValue(valueStart)
            let name = JSONText.string(bytes[range..<nameEnd])
            found.append(Member(name: name, start: range, value: valueStart..<valueEnd))
            let comma = afterSpace(valueEnd)
            guard byte(comma) == UInt8(ascii: ",") else { break }
            range = afterSpace(comma + 1)
        }
        return found
    }

    private func endOfValue(_ start: Int) -> Int {
        var depth = 0
        var range = start
        while let byte = byte(range) {
            switch byte {
            case UInt8(ascii: "\""):
                range = endOfString(range)
                if depth == 0 { return range }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object around a number or a literal, or of this value itself.
                if depth <= 1 { return depth == 0 ? range : range + 1 }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return range }
            default: break
            }
            range += 1
        }
        return range
    }

    private func endOfString(_ start: Int) -> Int {
        var range = start + 1
        while let byte = byte(range), byte != UInt8(ascii: "\"") {
            range += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(range + 1, bytes.count)
    }

    private func afterSpace(_ start: Int) -> Int {
        var range = start
        while let byte = byte(range), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { range += 1 }
        return range
    }

    private func byte(_ range: Int) -> UInt8? {
        bytes.indices.contains(range) ? bytes[range] : nil
    }
}
