internal import APNSVocabulary

/// The device tokens that a campaign has met so far, exactly: 32 bytes for each of the usual length, and as many again for room in
/// the table.
struct SeenTokens {
    /// Tokens of 64 digits.
    private var usual: Set<SIMD4<UInt64>> = []
    private var others: Set<String> = []

    /// - Returns: `false` when it was there already. Upper and lower case are the same token.
    mutating func insert(_ token: DeviceToken) -> Bool {
        var hex = token.hex
        let bits = hex.withUTF8 { Self.bits($0) }
        if let bits { return usual.insert(bits).inserted }
        return others.insert(token.hex.lowercased()).inserted
    }

    private static func bits(_ hex: UnsafeBufferPointer<UInt8>) -> SIMD4<UInt64>? {
        guard hex.count == 64 else { return nil }
        var bits = SIMD4<UInt64>()
        for (place, byte) in hex.enumerated() {
            let digit = byte & 15 &+ (byte >> 6) &* 9
            bits[place >> 4] = bits[place >> 4] << 4 | UInt64(digit)
        }
        return bits
    }
}
