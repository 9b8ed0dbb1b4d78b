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
        SignalThread.detached { while let number = next(end) { signalled.yield(number) } }
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

/// A separate thread for a function that blocks.
private enum SignalThread {
    static func detached(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, { Start.run($0) }, start) == 0 else {
            // Without the thread, signals have their default effect.
            Unmanaged<Start>.fromOpaque(start).release()
            for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
            return
        }
        pthread_detach(thread)
    }

    private final class Start: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let start else { return nil }
            Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
            return nil
        }
    }
}
