import PushCommandLine
import PushPlatform
import PushProvider

/// Asks a user at a terminal. Questions are written to standard error, so that standard output has only the result.
enum Prompt {
    /// Whether a user can answer: standard input and standard error are a terminal.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isSeen }

    /// Whether standard error is a terminal.
    static var isSeen: Bool { isatty(STDERR_FILENO) == 1 }

    /// Asks until the answer is valid. `check` returns the parsed answer, or throws a ``CommandFailure``, whose message
    /// is shown before the question is asked again. The hint says where to find the answer.
    static func ask<Answer>(_ question: String, hint: String, check: (String) throws -> Answer) throws -> Answer {
        Output.note(hint)
        while true {
            guard let text = String(validating: try line(question), as: UTF8.self) else {
                Output.note("That isn't UTF-8. Set the terminal to UTF-8, and type it again.")
                continue
            }
            do {
                return try check(text.trimmed)
            } catch let failure as CommandFailure {
                Output.note(failure.message)
            }
        }
    }

    /// Asks for a secret, without echo.
    static func secret(_ question: String) throws -> [UInt8] {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return try line(question) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        // Catch signals first: Ctrl-C must not leave the terminal without echo.
        SignalPipe.listen()
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
        return try line(question)
    }

    /// Asks a question that is answered with yes or no. Enter and Ctrl-D mean no.
    static func agrees(_ question: String, hint: String) throws -> Bool {
        do {
            return try ask("\(question) (yes/no)", hint: hint) { answer in
                switch answer.lowercased() {
                case "y", "yes": true
                case "n", "no", "": false
                default: throw CommandFailure.usage("Type yes or no.")
                }
            }
        } catch is Unanswered {
            return false
        }
    }

    /// Reads one line, without its line end.
    private static func line(_ question: String) throws -> [UInt8] {
        // Catch signals first: the user may press Ctrl-C as soon as the question is shown.
        SignalPipe.listen()
        Output.ask(question: question)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let part = try waitForInput()
            // Ctrl-D on an empty line.
            if part.isEmpty {
                Output.note("")
                throw Unanswered()
            }
            bytes += part
        }
        return bytes.dropLast()
    }

    /// The user pressed Ctrl-D.
    struct Unanswered: Error {}

    /// Waits for Ctrl-C or for a line. A terminal delivers it as a whole.
    private static func waitForInput() throws -> [UInt8] {
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            var entries = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: SignalPipe.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[1].revents != 0 {
                Output.note("")
                throw CommandFailure(.interrupted, "")
            }
            let count = read(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            return Array(part[..<max(0, count)])
        }
    }
}

/// Reads standard input to its end, up to a limit that no payload exceeds.
enum StandardInput {
    /// The limit in bytes. Of longer input, only one byte more than this is read.
    static let maximumBytes = 1 << 20

    /// Reads to the end, but at most ``maximumBytes`` and one byte more.
    ///
    /// - Parameter what: The expected content, for the error if the input is empty.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure`` with 65 if the input is empty.
    static func read(_ what: String = "a payload") throws -> [UInt8] {
        let bytes = (try? SmallFile.read(STDIN_FILENO, maximumBytes + 1)) ?? []
        guard !bytes.isEmpty else {
            throw CommandFailure(.invalidInput, "There is nothing on standard input: pipe \(what) into it.")
        }
        return bytes
    }
}
