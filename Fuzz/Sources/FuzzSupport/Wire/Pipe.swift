/// The bytes from one side to the other. The input may change them.
package struct Pipe {
    package private(set) var bytes: [UInt8] = []
    /// Whether the input has changed the bytes, so that they differ from those that were sent.
    package private(set) var isSpoiled = false

    package init() {}

    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Adds bytes that the other side has not sent.
    package mutating func forge(_ more: [UInt8]) {
        isSpoiled = true
        append(more)
    }

    /// All bytes that have arrived, or a part of them that the input chooses.
    package mutating func take(_ input: inout FuzzInput) -> [UInt8] {
        let kind = input.byte()
        let count = kind & 1 == 0 ? bytes.count : min(bytes.count, Int(kind) * 4)
        return take(count)
    }

    package mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// Changes a byte, or removes, inserts or repeats bytes.
    package mutating func spoil(_ input: inout FuzzInput) {
        guard !bytes.isEmpty else { return forge(input.piece()) }
        isSpoiled = true
        let kind = input.number(below: 5)
        // Mostly near the front, where the headers are.
        let index = input.number16() % bytes.count
        let end = min(bytes.count, index + 1 + Int(input.byte()))
        switch kind {
        case 0: bytes[index] ^= max(1, input.byte())
        case 1: bytes[index] = input.byte()
        case 2: bytes.removeSubrange(index..<end)
        case 3: bytes.insert(contentsOf: input.piece(), at: index)
        default: bytes.insert(contentsOf: Array(bytes[index..<end]), at: end)
        }
    }
}
