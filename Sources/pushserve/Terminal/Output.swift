import APNSVocabulary
import PushCommandLine
import PushPlatform

/// Standard output and standard error, for people and scripts. Nothing is buffered.
enum Output {
    /// Prints lines of the result. If the reader has closed the pipe, the command ends without a message.
    ///
    /// Replaces characters that could control the terminal, also in text from the caller.
    static func print(_ text: String) {
        print(bytes: Array((PeerText.printableLines(text) + "\n").utf8))
    }

    static func print(_ line: JSONLine) {
        print(bytes: line.bytes + [UInt8(ascii: "\n")])
    }

    /// Prints bytes without which the command has done nothing of use. If nobody gets them, they are taken back first.
    static func print(_ bytes: [UInt8], takeBack: () async throws -> Void) async throws {
        let number = StandardStreams.failure(writing: bytes, to: STDOUT_FILENO)
        guard number != 0 else { return }
        try await takeBack()
        complain(StandardStreams.unwritable(number))
        exit(.cannotWrite)
    }

    private static func print(bytes: [UInt8]) {
        switch StandardStreams.failure(writing: bytes, to: STDOUT_FILENO) {
        case 0: return
        case EPIPE: exit(.success)
        case let number:
            complain(StandardStreams.unwritable(number))
            exit(.cannotWrite)
        }
    }

    /// Prints a note about the result for people, on standard error. On a terminal, long lines are broken between words.
    static func note(_ text: String) {
        write(note: StandardStreams.note(text))
    }

    private static func write(note: String) {
        _ = StandardStreams.failure(writing: Array((note + "\n").utf8), to: STDERR_FILENO)
    }

    /// Prints an error message on one line. It may contain an argument or a file name, so its length is limited.
    static func complain(_ message: String) {
        // After the earlier lines of the log. Skipped if the log is not read.
        guard logLines.finish(within: patience) else { return }
        write(note: StandardStreams.complaint(message, of: "pushserve"))
    }

    /// Writes one line of the log, without waiting for its reader.
    static func log(_ line: String) {
        logLines.write(line)
    }

    private static let logLines = LogLines { bytes in _ = StandardStreams.failure(writing: bytes, to: STDERR_FILENO) }
    /// How long the end of the process waits for a reader of the log.
    private static let patience = Duration.seconds(1)

    /// Ends the process at once.
    static func exit(_ status: ExitStatus) -> Never {
        logLines.finish(within: patience)
        StandardStreams.exit(status.code)
    }
}
