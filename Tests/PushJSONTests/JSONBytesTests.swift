import TestSupport
import Testing

@testable import PushJSON

struct JSONBytesTests {
    @Test func `every byte that ends plain text is found, at every position`() {
        for length in 0...20 {
            for index in 0...length {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes.insert(byte, at: index)
                    // What stands behind must not hide it.
                    for last: UInt8 in [0x00, 0x22, 0x61, 0x80, 0xFF] {
                        let whole = bytes + [last]
                        let expected =
                            whole.firstIndex { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
                            ?? whole.count
                        let found = whole.withUnsafeBufferPointer { JSONBytes.endOfPlainText($0, from: 0) }
                        if found != expected { Issue.record("byte \(byte) at \(index) of \(length)") }
                    }
                }
            }
        }
    }

    @Test func `bytes by chance are UTF-8 when Swift says so`() {
        var random = SeededGenerator(seed: 16)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("plain text".utf8), Array("é".utf8), Array("€".utf8), Array("😀".utf8), [0x80],
            [0xC0, 0x80], [0xC2], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0x9F, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xFF],
        ]
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) { bytes += pieces.randomElement(using: &random) ?? [] }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect(bytes.withUnsafeBufferPointer { JSONBytes.areUTF8($0) } == isValid, "\(bytes)")
        }
    }
}
