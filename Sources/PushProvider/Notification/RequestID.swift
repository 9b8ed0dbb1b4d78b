internal import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The `apns-id` of a request: the bits of a UUID, spelled only where somebody reads them.
struct RequestID: Hashable, Sendable {
    static let length = 36

    let bits: UInt128

    init(_ id: UUID) {
        bits = withUnsafeBytes(of: id.uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// Makes a random UUID of these bits (RFC 9562, version 4).
    init(random bits: UInt128) {
        let version: UInt128 = 0x4 << 76
        let variant: UInt128 = 0x2 << 62
        self.bits = bits & ~(0xF << 76) & ~(0x3 << 62) | version | variant
    }

    /// Calls `body` with the canonical spelling, which is lower case.
    func withSpelling<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 1) { text in
            var rest = bits
            for index in (0..<Self.length).reversed() {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    text[index] = UInt8(ascii: "-")
                } else {
                    let digit = UInt8(truncatingIfNeeded: rest & 15)
                    text[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
                    rest >>= 4
                }
            }
            return body(UnsafeRawBufferPointer(text))
        }
    }
}

extension RequestID: CustomStringConvertible {
    /// The canonical spelling.
    var description: String { withSpelling { String(decoding: $0, as: UTF8.self) } }
}

/// Draws ids, with one call of the system for many: one for each was a tenth of the cost of a send.
///
/// A process that forks without becoming another program shares the few that are drawn ahead; nobody does, with threads.
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

    /// `getentropy` gives at most 256 bytes at a time.
    private static func draw() -> [UInt128] {
        #if canImport(Darwin)
            // Costs no call of the system there.
            return (0..<16).map { _ in UInt128.random(in: .min ... .max) }
        #else
            var bits = [UInt128](repeating: 0, count: 16)
            let isDrawn = bits.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
            return isDrawn ? bits : bits.map { _ in UInt128.random(in: .min ... .max) }
        #endif
    }
}
