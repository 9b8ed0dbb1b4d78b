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
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// A line of the result.
    static func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// A line about the result, for people: notes and explanations.
    static func note(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    /// A line about what went wrong.
    static func complain(_ line: String) {
        note("pushsend: \(line)")
    }

    /// Ends the process.
    static func exit(_ status: ExitStatus) -> Never {
        #if canImport(Glibc)
            Glibc.exit(status.code)
        #elseif canImport(Musl)
            Musl.exit(status.code)
        #else
            Darwin.exit(status.code)
        #endif
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // Nobody reads any more: that ends the command quietly. Nowhere to write to is a failure.
                guard descriptor == STDOUT_FILENO else { return }
                exit(errno == EPIPE ? .accepted : .cannotWrite)
            }
        }
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
