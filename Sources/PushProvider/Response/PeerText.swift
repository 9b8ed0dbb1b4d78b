/// Text that somebody else wrote, a server or a caller, made fit for a line in a log or an error.
enum PeerText {
    /// Without control characters, which could forge lines or steer a terminal, and no longer than a line.
    static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(200).map {
                $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "\u{FFFD}" : Character($0)
            }
        )
    }
}
