internal import PushPlatform

extension UUID {
    /// Reads 32 digits in hex with hyphens after the 8th, 12th, 16th and 20th; `nil` for any other text.
    ///
    /// Apple gives each push an id, and Foundation takes longer to read one than the queue to store the outcome.
    init?(text: String) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexDigitValue.map(UInt64.init) else { return nil }
            if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        var bytes = (high.bigEndian, low.bigEndian)
        self = withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
