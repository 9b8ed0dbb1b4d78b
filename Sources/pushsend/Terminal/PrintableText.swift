extension String {
    /// With a replacement for each control character: what others have written must not steer the terminal.
    var printable: String {
        String(
            unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "\u{FFFD}" : Character($0) }
        )
    }
}
