import PushProvider

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output and standard error: what people and scripts read.
enum Output {
    /// A reader that goes away (`| head`) is no error: without this the process would die of SIGPIPE.
    /// A file that reaches the size that the system allows (`ulimit -f`) is reported as a full disk is.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Prints a line of the result, or several. When nobody reads them any more, the command ends, quietly.
    ///
    /// Replaces characters that could steer the terminal, also those of callers.
    static func say(_ text: String) {
        say(painted: PeerText.printableLines(text))
    }

    /// The same for text that has colours, in which the caller has replaced what others wrote.
    static func say(painted text: String) {
        if !write(text + "\n", to: STDOUT_FILENO) { exit(.accepted) }
    }

    /// Prints a line of the result, for a command that has to put things in order before it ends.
    ///
    /// - Returns: Whether somebody still reads.
    static func offer(_ line: String) -> Bool {
        offer(painted: PeerText.printableLines(line))
    }

    /// The same for text that has colours, in which the caller has replaced what others wrote.
    static func offer(painted line: String) -> Bool {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Prints JSON that somebody else wrote. Into a file or a pipe it goes as it is; on a terminal, characters that could
    /// steer it are escaped, which leaves the value as it is.
    static func offer(json: [UInt8]) {
        _ = offer(isatty(STDOUT_FILENO) == 1 ? PeerText.printableJSON(json) : json)
    }

    /// Whole lines of the result, in one piece.
    ///
    /// - Returns: Whether somebody still reads.
    static func offer(_ lines: [UInt8]) -> Bool {
        write(lines, to: STDOUT_FILENO)
    }

    /// Whole lines of the result, for a command that goes on where they cannot be written.
    ///
    /// - Returns: 0, or the number of the system's error.
    static func put(_ lines: [UInt8]) -> Int32 {
        failure(writing: lines, to: STDOUT_FILENO)
    }

    /// Prints a line about the result, or several, for people: notes and explanations. What could steer the terminal is
    /// replaced.
    static func note(_ text: String) {
        note(painted: PeerText.printableLines(text))
    }

    /// The same for text that has colours, in which the caller has replaced what others wrote.
    static func note(painted text: String) {
        _ = write(text + "\n", to: STDERR_FILENO)
    }

    /// Prints a question or a progress line as it is, without a line break behind it.
    static func ask(_ question: String) {
        _ = write(question, to: STDERR_FILENO)
    }

    /// Whether notes are read by somebody at a terminal: there they may be long.
    static var notesGoToTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// How wide the terminal is that shows notes; `nil` where they go elsewhere.
    static var noteColumns: Int? { columns(of: STDERR_FILENO) }

    /// How wide the terminal is that shows results; `nil` where they go elsewhere.
    static var resultColumns: Int? { columns(of: STDOUT_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The same of a terminal on which a line can be written anew; `nil` for one that is only paper.
    static var progressColumns: Int? { isPaper ? nil : noteColumns }

    private static var isPaper: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }

    /// Whether results may have colours: on a terminal, unless the environment has NO_COLOR (https://no-color.org).
    static var resultsHaveColours: Bool { hasColours(STDOUT_FILENO) }

    /// The same for notes.
    static var notesHaveColours: Bool { hasColours(STDERR_FILENO) }

    private static func hasColours(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        let isForbidden = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return !isForbidden && !isPaper
    }

    /// Prints an error message on one line. It may repeat an argument or a file, so its length is limited.
    static func complain(_ message: String) {
        note("pushsend: \(PeerText.printable(message, atMost: longestMessage))")
    }

    /// Characters of an error message; in a longer one "…" replaces the middle.
    private static let longestMessage = 2000

    /// Ends the process at once: the kernel takes back faster what OpenSSL would put away piece by piece.
    static func exit(_ status: ExitStatus) -> Never {
        // What is written here goes to the descriptors at once; this is for what a library has printed.
        fflush(nil)
        _exit(status.code)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        write(Array(text.utf8), to: descriptor)
    }

    /// As many whole lines as a pipe takes in one piece (POSIX gives it 4096 bytes), so that those of others do not come
    /// between.
    private static func wholeLines(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let atMost = bytes.prefix(Int(PIPE_BUF))
        guard atMost.count < bytes.count, let end = atMost.lastIndex(of: UInt8(ascii: "\n")) else { return atMost }
        return atMost[...end]
    }

    private static func write(_ all: [UInt8], to descriptor: Int32) -> Bool {
        let number = failure(writing: all, to: descriptor)
        // A reader that went away is no failure; a full disk is one.
        if number != 0, descriptor == STDOUT_FILENO, number != EPIPE {
            complain("Standard output cannot be written: \(String(cString: strerror(number))).")
            exit(.cannotWrite)
        }
        return number == 0
    }

    private static func failure(writing all: [UInt8], to descriptor: Int32) -> Int32 {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = wholeLines(of: bytes).withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Somebody who shares it has made it so.
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&place, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }
}
