import PushPlatform

/// SIGTERM, SIGINT and SIGHUP as a stream, from its creation on. A process creates at most one.
///
/// A handler may only write to a pipe; a thread reads from it.
enum ServiceSignals {
    private static let numbers = [SIGTERM, SIGINT, SIGHUP]

    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The handler must not wait for space.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }()

    /// Installs the handlers, and returns the signals from now on.
    static func stream() -> AsyncStream<Int32> {
        let (signals, signalled) = AsyncStream.makeStream(of: Int32.self)
        let end = ends.read
        for number in numbers { signal(number) { ServiceSignals.ring($0) } }
        if !DedicatedThread.start("signals", { while let number = next(end) { signalled.yield(number) } }) {
            // Without the thread, signals have their default effect.
            for number in numbers { signal(number, SIG_DFL) }
        }
        return signals
    }

    /// Called by the handler, long after the first access to `ends`.
    private static func ring(_ number: Int32) {
        let errorBefore = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(ends.write, &byte, 1)
        errno = errorBefore
    }

    private static func next(_ end: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            let count = read(end, &byte, 1)
            if count == 1 { return Int32(byte) }
            if count < 0, errno == EINTR { continue }
            return nil
        }
    }
}
