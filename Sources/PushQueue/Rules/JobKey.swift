package import PushPlatform

/// The parts of a job's id: the number of its row, and random bits that make the id hard to guess.
///
/// The id is a UUID of version 7 (RFC 9562) whose time is the due time. So ids and rows are in the order in which jobs are sent, and
/// a table needs no index over ids: the first 63 bits that carry information are the number of the row.
package struct JobKey: Hashable {
    /// The due time in milliseconds, 43 bits, then 20 bits that make it unique.
    package var row: Int64
    /// 54 random bits.
    package var tag: Int64

    package static let tagBits: UInt64 = (1 << 54) - 1

    package init(row: Int64, tag: Int64) {
        (self.row, self.tag) = (row, tag)
    }

    /// The parts of an id; `nil` if no queue makes such an id.
    package init?(_ id: UUID) {
        let (high, low) = id.halves
        guard (high >> 12) & 0xF == 7, low >> 62 == 2, high >> 59 == 0 else { return nil }
        let unique = (high & 0xFFF) << 8 | (low >> 54) & 0xFF
        row = Int64(bitPattern: (high >> 16) << 20 | unique)
        tag = Int64(bitPattern: low & Self.tagBits)
    }

    package var id: UUID {
        let row = UInt64(bitPattern: row)
        let high = (row >> 20) << 16 | 0x7000 | (row >> 8) & 0xFFF
        let low = 2 << 62 | (row & 0xFF) << 54 | UInt64(bitPattern: tag) & Self.tagBits
        return UUID(high, low)
    }
}

extension UUID {
    package init(_ high: UInt64, _ low: UInt64) {
        func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * index)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
                byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
                byte(low, 6), byte(low, 7)
            ))
    }

    package var halves: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: uuid) { Array($0) }
    }

    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 { halves.0 = halves.0 << 8 | UInt64(byte) } else { halves.1 = halves.1 << 8 | UInt64(byte) }
        }
        self.init(halves.0, halves.1)
    }
}
