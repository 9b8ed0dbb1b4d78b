internal import APNSVocabulary

/// The exact set of the device tokens in a campaign so far. A token of the usual length takes 32 bytes, and the hash
/// table about as much again.
struct SeenTokens {
    /// Tokens of 64 digits.
    private var fixedLength: Set<SIMD4<UInt64>> = []
    private var others: Set<String> = []

    /// Adds a device token. Upper and lower case are the same token.
    ///
    /// - Returns: `false` if the set already has it.
    mutating func insert(_ token: DeviceToken) -> Bool {
        var hex = token.hex
        let bits = hex.withUTF8 { Self.bits($0) }
        if let bits { return fixedLength.insert(bits).inserted }
        return others.insert(token.hex.lowercased()).inserted
    }

    private static func bits(_ hex: UnsafeBufferPointer<UInt8>) -> SIMD4<UInt64>? {
        guard hex.count == 64 else { return nil }
        var bits = SIMD4<UInt64>()
        for (index, byte) in hex.enumerated() {
            let digit = byte & 15 &+ (byte >> 6) &* 9
            bits[index >> 4] = bits[index >> 4] << 4 | UInt64(digit)
        }
        return bits
    }
}
