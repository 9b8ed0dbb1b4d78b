/// Lines for people, put one behind the other so that many go out at once.
///
/// What others have written must not steer the terminal: a space stands for each control character.
struct PrintableLines {
    private(set) var bytes: [UInt8] = []

    init(reservingBytes count: Int = 0) {
        bytes.reserveCapacity(count)
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write($0) }
    }

    /// Writes a text that may be long, up to so many characters of it.
    mutating func write(startOf body: [UInt8], characters count: Int) {
        // The one behind the last shows that the last ends there: it is ASCII, and joins nothing.
        let isPlain = body.withUnsafeBufferPointer { Self.isPlain(UnsafeBufferPointer(rebasing: $0.prefix(count + 1))) }
        if isPlain {
            bytes.append(contentsOf: body.prefix(count))
        } else {
            write(String(String(decoding: body, as: UTF8.self).prefix(count)))
        }
    }

    /// Writes the time of day, in UTC.
    mutating func write(timeOfDay secondsSince1970: Double) {
        let seconds = Int(secondsSince1970) % 86_400
        write(twoDigits: seconds / 3600, before: ":")
        write(twoDigits: seconds / 60 % 60, before: ":")
        write(twoDigits: seconds % 60, before: "Z")
    }

    private mutating func write(twoDigits number: Int, before end: Unicode.Scalar) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        bytes.append(UInt8(ascii: end))
    }

    /// Writes what is harmless already.
    mutating func write(asItIs text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        if Self.isPlain(text) { return bytes.append(contentsOf: text) }
        var previous: UInt8 = 0
        for byte in text {
            if previous == 0xC2, (0x80..<0xA0).contains(byte) {
                // U+0080 to U+009F are two bytes.
                bytes[bytes.count - 1] = UInt8(ascii: " ")
            } else {
                bytes.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte)
            }
            previous = byte
        }
    }

    /// ASCII without control characters. It looks at all of them, so that it can look at many at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
        return others == 0
    }
}
