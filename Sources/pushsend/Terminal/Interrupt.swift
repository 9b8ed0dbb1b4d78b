import PushPlatform

/// Catches SIGINT (Ctrl-C) and SIGTERM from its creation on, so that a command can end in an orderly way. A process
/// creates at most one.
final class Interrupt: Sendable {
    private let happenings: AsyncStream<Void>
    private let happened: AsyncStream<Void>.Continuation

    init() {
        let (happenings, happened) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.happenings = happenings
        self.happened = happened
        // Without a thread that watches, a signal ends the process as usual.
        if SignalPipe.watch({ happened.yield() }) { SignalPipe.listen() }
    }

    /// Returns at the first SIGINT or SIGTERM, or when ``request()`` is called.
    func wait() async {
        for await _ in happenings { return }
    }

    /// Ends the wait as if Ctrl-C had been pressed.
    func request() {
        happened.yield()
    }

    /// Runs `body` and cancels it at SIGINT or SIGTERM, so that it can report its outcomes.
    ///
    /// - Returns: The result of `body`, and whether it was interrupted.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result, interrupted: Bool) {
        let interrupt = Interrupt()
        return try await withThrowingTaskGroup(of: Result?.self) { tasks in
            tasks.addTask { try await body() }
            tasks.addTask {
                await interrupt.wait()
                return nil
            }
            var interrupted = false
            while let ended = try await tasks.next() {
                // When one of the two ends, the other is no longer needed.
                tasks.cancelAll()
                if let result = ended { return (result, interrupted) }
                interrupted = true
            }
            throw CancellationError()
        }
    }
}

/// A pipe from the signal handler to the rest of the process. Writing to a pipe is one of the few things that a signal
/// handler may do.
///
/// A dispatch source for signals would lose signals that arrive before it is registered, which happens with a delay. A
/// dispatch source for the pipe would not lose them, but starts all of Dispatch, which a single push does not need. So
/// a thread waits.
enum SignalPipe {
    /// The descriptor that becomes readable after a signal.
    static var readEnd: Int32 { ends.read }

    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // The handler must not wait for space, and the reader must not wait for more data.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Installs the handlers. From now on SIGINT and SIGTERM no longer end the process.
    static func listen() {
        _ = readEnd
        for number in [SIGINT, SIGTERM] { signal(number) { _ in SignalPipe.ring() } }
    }

    /// Called by the handler, long after the first access to `readEnd`.
    private static func ring() {
        let errorBefore = errno
        var byte: UInt8 = 0
        _ = write(ends.write, &byte, 1)
        errno = errorBefore
    }

    static func empty() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while read(readEnd, &bytes, bytes.count) > 0 {}
    }

    /// Calls `body` on its own thread after each signal, until the process ends.
    ///
    /// - Returns: `false` if the thread cannot be created.
    static func watch(_ body: @escaping @Sendable () -> Void) -> Bool {
        let watch = Unmanaged.passRetained(Watch(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            return pthread_create(&thread, nil, { Watch.run($0) }, watch) == 0
        #else
            var thread = pthread_t()
            return pthread_create(&thread, nil, { Watch.run($0) }, watch) == 0
        #endif
    }

    private final class Watch: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        /// The main function of the thread.
        static func run(_ watch: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let watch else { return nil }
            let body = Unmanaged<Watch>.fromOpaque(watch).takeRetainedValue().body
            var place = pollfd(fd: SignalPipe.readEnd, events: Int16(POLLIN), revents: 0)
            while true {
                guard poll(&place, 1, -1) > 0 else {
                    if errno == EINTR { continue }
                    return nil
                }
                SignalPipe.empty()
                body()
            }
        }
    }
}
