extension StoredTarget {
    /// The key of a target in the index of its jobs.
    struct IndexKey: Equatable {
        /// The part of the index, of 16. A purge reads one of them, and of that only the index. Each new job comes at the end of a
        /// part, so jobs that are stored together change few pages. More parts make a purge faster and each job dearer.
        var bucket: Int64
        /// A number that few other targets of the bucket have.
        var mark: Int64
    }

    var indexKey: IndexKey {
        let digest =
            switch self {
            case .token(let bytes): Self.digest(bytes)
            case .text(let text): Self.digest(text.utf8)
            }
        return IndexKey(bucket: Int64(digest >> 60), mark: Int64(digest & 0xFFFF_FFFF))
    }

    /// A digest that must never change, because it is stored: FNV-1a, and a last step that spreads the bits.
    private static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ digest >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return digest ^ digest >> 33
    }
}
