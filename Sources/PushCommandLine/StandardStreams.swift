internal import APNSVocabulary
package import PushJSON
internal import PushPlatform

/// Writes to standard output and standard error as both programs do: without a buffer.
package enum StandardStreams {
    /// Ignores SIGPIPE and SIGXFSZ. A reader that closes the pipe (`| head`) is not an error. A file that reaches the
    /// size limit (`ulimit -f`) is reported like a full disk.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Returns a note about the result for people. Characters that could control the terminal are replaced. On a terminal, long lines are
    /// broken between words.
    package static func note(_ text: String) -> String {
        WordWrap.fitted(PeerText.printableLines(text), toTerminal: STDERR_FILENO)
    }

    /// Returns an error message on one line. It may contain an argument or a file name, so its length is limited.
    package static func complaint(_ message: String, of program: String) -> String {
        note("\(program): \(PeerText.printable(SecretText.masked(message), atMost: longestMessage))")
    }

    /// The maximum number of characters of an error message. In a longer one, "…" replaces the middle.
    private static let longestMessage = 2000

    /// Returns the message for output that cannot be written.
    package static func unwritable(_ number: Int32) -> String {
        "Standard output can't be written: \(String(cString: strerror(number)))."
    }

    /// Ends the process at once. The kernel frees the memory faster than OpenSSL.
    package static func exit(_ code: Int32) -> Never {
        // What is written here is not buffered. This flushes what a library has printed.
        fflush(nil)
        _exit(code)
    }

    /// Writes bytes.
    ///
    /// - Returns: 0, or the `errno` of the system.
    package static func failure(writing all: [UInt8], to descriptor: Int32) -> Int32 {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = wholeLines(of: bytes).withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
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

    /// Returns as many complete lines as a pipe accepts in one piece (4096 bytes in POSIX), so that output of other
    /// processes does not come between.
    private static func wholeLines(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let atMost = bytes.prefix(Int(PIPE_BUF))
        guard atMost.count < bytes.count, let end = atMost.lastIndex(of: UInt8(ascii: "\n")) else { return atMost }
        return atMost[...end]
    }
}

/// A JSON object on one line, with keys in snake_case: the output of `--json`.
package struct JSONLine: Equatable, ExpressibleByDictionaryLiteral {
    package private(set) var members: [String: PushJSONValue] = [:]

    package init() {}

    package init(_ value: PushJSONValue) {
        if case .object(let members) = value { self.members = members }
    }

    /// A line with these members. Keys without a value are left out.
    package init(dictionaryLiteral elements: (String, PushJSONValue?)...) {
        for (key, value) in elements { self[key] = value }
    }

    /// Keys without a value are left out.
    package subscript(key: String) -> PushJSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// The line as bytes. Characters that could control the terminal are escaped.
    package var bytes: [UInt8] { PeerText.printableJSON(PushJSONValue.object(members).encoded) }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
