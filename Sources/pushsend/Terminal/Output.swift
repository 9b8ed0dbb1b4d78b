import PushCommandLine
import PushPlatform
import PushProvider

/// Standard output and standard error, for people and scripts.
enum Output {
    /// Prints one or more lines of the result. If the reader has closed the pipe, the command ends without a message.
    ///
    /// Replaces characters that could control the terminal, also in text from the caller.
    static func print(_ text: String) {
        print(painted: PeerText.printableLines(text))
    }

    /// Prints text with colours. The caller has already replaced unsafe characters of other text in it.
    static func print(painted text: String) {
        if !write(text + "\n", to: STDOUT_FILENO) { exit(.success) }
    }

    /// Prints a line of the result, for a command that must clean up before it ends.
    ///
    /// - Returns: Whether the reader is still there.
    static func offer(_ line: String) -> Bool {
        offer(painted: PeerText.printableLines(line))
    }

    /// Prints a line with colours. The caller has already replaced unsafe characters of other text in it.
    static func offer(painted line: String) -> Bool {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Prints JSON from outside. In a file or a pipe it is unchanged. On a terminal, characters that could control it
    /// are escaped, which does not change the value.
    static func offer(json: [UInt8]) {
        _ = offer(isatty(STDOUT_FILENO) == 1 ? PeerText.printableJSON(json) : json)
    }

    /// Prints complete lines of the result in one piece.
    ///
    /// - Returns: Whether the reader is still there.
    static func offer(_ lines: [UInt8]) -> Bool {
        write(lines, to: STDOUT_FILENO)
    }

    /// Prints complete lines of the result, for a command that continues if they cannot be written.
    ///
    /// - Returns: 0, or the `errno` of the system.
    static func put(_ lines: [UInt8]) -> Int32 {
        StandardStreams.failure(writing: lines, to: STDOUT_FILENO)
    }

    /// Prints one or more lines about the result for people: notes and explanations. Replaces characters that could
    /// control the terminal. On a terminal, long lines are broken between words.
    static func note(_ text: String) {
        note(painted: StandardStreams.note(text))
    }

    /// Prints a note with colours. The caller has already replaced unsafe characters of other text in it.
    static func note(painted text: String) {
        _ = write(text + "\n", to: STDERR_FILENO)
    }

    /// Prints a question, without a line break after it. On a terminal, a long one is broken between words.
    static func ask(question: String) {
        ask(StandardStreams.note(question) + ": ")
    }

    /// Prints a progress line unchanged, without a line break after it.
    static func ask(_ question: String) {
        _ = write(question, to: STDERR_FILENO)
    }

    /// Whether notes are shown on a terminal. There they may be long.
    static var notesGoToTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal that shows notes; `nil` if they are not on a terminal.
    static var noteColumns: Int? { columns(of: STDERR_FILENO) }

    /// The width of the terminal that shows results; `nil` if they are not on a terminal.
    static var resultColumns: Int? { columns(of: STDOUT_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The width of the terminal that shows notes, if it can overwrite a line; otherwise `nil`.
    static var progressColumns: Int? { isPaper ? nil : noteColumns }

    private static var isPaper: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }

    /// Whether results may have colours: on a terminal, unless NO_COLOR is set (https://no-color.org).
    static var resultsHaveColours: Bool { hasColours(STDOUT_FILENO) }

    /// Whether notes may have colours, by the same rule.
    static var notesHaveColours: Bool { hasColours(STDERR_FILENO) }

    private static func hasColours(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        let isForbidden = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return !isForbidden && !isPaper
    }

    /// Prints an error message on one line. It may contain an argument or a file name, so its length is limited.
    static func complain(_ message: String) {
        note(painted: StandardStreams.complaint(message, of: "pushsend"))
    }

    /// Ends the process at once.
    static func exit(_ status: ExitStatus) -> Never { StandardStreams.exit(status.code) }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ all: [UInt8], to descriptor: Int32) -> Bool {
        let number = StandardStreams.failure(writing: all, to: descriptor)
        // A closed pipe is not a failure; a full disk is.
        if number != 0, descriptor == STDOUT_FILENO, number != EPIPE {
            complain(StandardStreams.unwritable(number))
            exit(.cannotWrite)
        }
        return number == 0
    }
}
