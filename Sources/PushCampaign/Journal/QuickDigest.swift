/// A 64-bit digest of bytes. It detects accidental changes, not deliberate ones.
struct QuickDigest: Hashable, Sendable {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds bytes and their number. Two pieces give another digest than the same bytes in one piece.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var tail: UInt64 = 0
        while at < bytes.count {
            tail = tail << 8 | UInt64(bytes[at])
            at += 1
        }
        add(tail)
        add(UInt64(bytes.count))
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    mutating func add(_ word: UInt64) {
        let mixed = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = mixed.high ^ mixed.low ^ 0xA076_1D64_78BD_642F
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var digest = QuickDigest()
        digest.add(Array(bytes))
        return digest.value
    }
}
