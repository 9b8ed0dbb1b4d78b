internal import NIOConcurrencyHelpers
package import PushPlatform

/// The `apns-id` of a request: the bits of a UUID, converted to text only when needed.
package struct RequestID: Hashable, Sendable {
    static let length = 36

    package let bits: UInt128

    package init(_ id: UUID) {
        bits = withUnsafeBytes(of: id.uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// Creates a random UUID from random bits (RFC 9562, version 4).
    package init(random bits: UInt128) {
        let version: UInt128 = 0x4 << 76
        let variant: UInt128 = 0x2 << 62
        self.bits = bits & ~(0xF << 76) & ~(0x3 << 62) | version | variant
    }

    /// Calls `body` with the canonical text, in lower case.
    func withSpelling<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 1) { text in
            let (first, second) = (UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
            let digits = (
                Self.digits(UInt32(truncatingIfNeeded: first >> 32)), Self.digits(UInt32(truncatingIfNeeded: first)),
                Self.digits(UInt32(truncatingIfNeeded: second >> 32)), Self.digits(UInt32(truncatingIfNeeded: second))
            )
            text.storeBytes(of: digits.0.littleEndian, as: UInt64.self)
            Self.writeGroups(of: digits.1, to: text, at: 8)
            Self.writeGroups(of: digits.2, to: text, at: 18)
            text.storeBytes(of: digits.3.littleEndian, toByteOffset: 28, as: UInt64.self)
            return body(UnsafeRawBufferPointer(text))
        }
    }

    /// Writes two groups of four digits, each after a hyphen.
    private static func writeGroups(of digits: UInt64, to text: UnsafeMutableRawBufferPointer, at offset: Int) {
        text[offset] = UInt8(ascii: "-")
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: digits).littleEndian, toByteOffset: offset + 1, as: UInt32.self)
        text[offset + 5] = UInt8(ascii: "-")
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: digits >> 32).littleEndian, toByteOffset: offset + 6, as: UInt32.self)
    }

    /// Returns the eight hex digits of a number, the first digit in the lowest byte. It computes all at once, because
    /// every request has 32 digits.
    private static func digits(_ number: UInt32) -> UInt64 {
        // Move halves, then bytes, then half bytes apart, each to the byte of its digit.
        var spread = UInt64(number)
        spread = spread >> 16 | (spread & 0xFFFF) << 32
        spread = spread >> 8 & 0x0000_00FF_0000_00FF | (spread & 0x0000_00FF_0000_00FF) << 16
        spread = spread >> 4 & 0x000F_000F_000F_000F | (spread & 0x000F_000F_000F_000F) << 8
        let areLetters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let toLetters = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
        return spread &+ 0x3030_3030_3030_3030 &+ areLetters &* toLetters
    }
}

extension RequestID: CustomStringConvertible {
    /// The canonical text, in lower case.
    package var description: String { withSpelling { String(decoding: $0, as: UTF8.self) } }
}

/// Creates random ids, many with one system call. One system call for each id was a tenth of the cost of a send.
///
/// A process that forks without `exec` shares the ids that were created ahead. A process with threads must not do that.
final class RequestIDSource: Sendable {
    private let drawn = NIOLockedValueBox<[UInt128]>([])

    func next() -> RequestID {
        RequestID(
            random: drawn.withLockedValue { drawn in
                if let bits = drawn.popLast() { return bits }
                drawn.append(contentsOf: Self.draw())
                return drawn.removeLast()
            })
    }

    /// Returns 16 random numbers: `getentropy` gives at most 256 bytes at a time.
    private static func draw() -> [UInt128] {
        #if canImport(Darwin)
            // No system call is needed there.
            return (0..<16).map { _ in UInt128.random(in: .min ... .max) }
        #else
            var bits = [UInt128](repeating: 0, count: 16)
            let isDrawn = bits.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
            return isDrawn ? bits : bits.map { _ in UInt128.random(in: .min ... .max) }
        #endif
    }
}
