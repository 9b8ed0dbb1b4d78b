import APNSVocabulary
import PushCommandLine
import PushPlatform

/// Standard output and standard error, for people and scripts. Nothing is buffered.
enum Output {
    /// Ignores SIGPIPE and SIGXFSZ. A reader that closes the pipe (`| head`) is not an error. A file that reaches the
    /// size limit (`ulimit -f`) is reported like a full disk.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Prints lines of the result. If the reader has closed the pipe, the command ends without a message.
    ///
    /// Replaces characters that could control the terminal, also in text from the caller.
    static func print(_ text: String) {
        print(bytes: Array((PeerText.printableLines(text) + "\n").utf8))
    }

    /// Prints a line of JSON.
    static func print(_ line: JSONLine) {
        print(bytes: line.bytes + [UInt8(ascii: "\n")])
    }

    private static func print(bytes: [UInt8]) {
        switch failure(writing: bytes, to: STDOUT_FILENO) {
        case 0: return
        case EPIPE: exit(.success)
        case let number:
            complain("Standard output cannot be written: \(String(cString: strerror(number))).")
            exit(.cannotWrite)
        }
    }

    /// Prints a note about the result for people, on standard error. On a terminal, long lines are broken between words.
    static func note(_ text: String) {
        let fitted = WordWrap.fitted(PeerText.printableLines(text), toTerminal: STDERR_FILENO)
        _ = failure(writing: Array((fitted + "\n").utf8), to: STDERR_FILENO)
    }

    /// Prints an error message on one line. It may contain an argument or a file name, so its length is limited.
    static func complain(_ message: String) {
        // After the earlier lines of the log. Skipped if the log is not read.
        guard logLines.finish(within: patience) else { return }
        note("pushserve: \(PeerText.printable(SecretText.masked(message), atMost: longestMessage))")
    }

    /// Writes one line of the log, without waiting for its reader.
    static func log(_ line: String) {
        logLines.write(line)
    }

    private static let logLines = LogLines { bytes in _ = failure(writing: bytes, to: STDERR_FILENO) }
    /// How long the end of the process waits for a reader of the log.
    private static let patience = Duration.seconds(1)

    /// The maximum number of characters of an error message. In a longer one, "…" replaces the middle.
    private static let longestMessage = 2000

    /// Ends the process at once.
    static func exit(_ status: ExitStatus) -> Never {
        logLines.finish(within: patience)
        // Output of this type is not buffered. This flushes what a library has printed.
        fflush(nil)
        _exit(status.code)
    }

    /// Returns 0, or the `errno` of the system.
    private static func failure(writing all: [UInt8], to descriptor: Int32) -> Int32 {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Another process that shares the descriptor has made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
