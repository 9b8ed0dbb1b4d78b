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
        var place = 0..<bytes.count
        for name in path {
            guard let member = members(ofObjectAt: place.lowerBound).last(where: { $0.name == name }) else {
                return nil
            }
            place = member.value
        }
        return place
    }

    /// Whether the value is a string.
    func isString(_ place: Range<Int>) -> Bool {
        bytes[place].first == UInt8(ascii: "\"")
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

    mutating func replace(_ place: Range<Int>, with text: String) {
        bytes.replaceSubrange(place, with: text.utf8)
    }

    // MARK: Finding

    private func members(ofObjectAt start: Int) -> [Member] {
        var found: [Member] = []
        var place = afterSpace(start)
        guard byte(place) == UInt8(ascii: "{") else { return [] }
        place = afterSpace(place + 1)
        while byte(place) == UInt8(ascii: "\"") {
            let nameEnd = endOfString(place)
            let colon = afterSpace(nameEnd)
            guard byte(colon) == UInt8(ascii: ":") else { break }
            let valueStart = afterSpace(colon + 1)
            let valueEnd = endOfValue(valueStart)
            let name = JSONText.string(bytes[place..<nameEnd])
            found.append(Member(name: name, start: place, value: valueStart..<valueEnd))
            let comma = afterSpace(valueEnd)
            guard byte(comma) == UInt8(ascii: ",") else { break }
            place = afterSpace(comma + 1)
        }
        return found
    }

    private func endOfValue(_ start: Int) -> Int {
        var depth = 0
        var place = start
        while let byte = byte(place) {
            switch byte {
            case UInt8(ascii: "\""):
                place = endOfString(place)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object around a number or a literal, or of this value itself.
                if depth <= 1 { return depth == 0 ? place : place + 1 }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    private func endOfString(_ start: Int) -> Int {
        var place = start + 1
        while let byte = byte(place), byte != UInt8(ascii: "\"") {
            place += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, bytes.count)
    }

    private func afterSpace(_ start: Int) -> Int {
        var place = start
        while let byte = byte(place), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
        return place
    }

    private func byte(_ place: Int) -> UInt8? {
        bytes.indices.contains(place) ? bytes[place] : nil
    }
}
