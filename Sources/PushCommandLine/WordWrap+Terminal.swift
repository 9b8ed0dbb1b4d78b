import PushPlatform

extension WordWrap {
    /// The least width. On a narrower terminal, the terminal breaks lines itself.
    private static let narrowest = 20

    /// Breaks the long lines of a text for a terminal. If the file descriptor isn't a terminal, or its width isn't known, the text is
    /// returned unchanged.
    package static func fitted(_ text: String, toTerminal descriptor: Int32) -> String {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return text
        }
        return fitted(text, width: max(narrowest, Int(size.ws_col)))
    }
}
