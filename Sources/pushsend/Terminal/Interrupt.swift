#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C and a polite kill, caught from the moment that this exists, so that a command can end in order. A process makes
/// one at the most.
final class Interrupt: Sendable {
    private let happenings: AsyncStream<Void>
    private let happened: AsyncStream<Void>.Continuation

    init() {
        let (happenings, happened) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.happenings = happenings
        self.happened = happened
        // Without a thread to watch, a signal ends the process as it does everywhere.
        if SignalPipe.watch({ happened.yield() }) { SignalPipe.listen() }
    }

    /// Returns at the first SIGINT or SIGTERM, or when somebody in the process asks for the same.
    func wait() async {
        for await _ in happenings { return }
    }

    /// Ends the wait as if Ctrl-C had been pressed.
    func request() {
        happened.yield()
    }

    /// Runs `body` and cancels it at SIGINT or SIGTERM, so that it can say what became of what.
    ///
    /// - Returns: What `body` returned, and whether it was interrupted.
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
                // Whichever ends first, the other has no reason to go on.
                tasks.cancelAll()
                if let result = ended { return (result, interrupted) }
                interrupted = true
            }
            throw CancellationError()
        }
    }
}

/// How a signal handler tells the rest of the process: writing to a pipe is one of the few things that it may do.
///
/// A dispatch source for signals would lose those that come before it is registered, which happens some time after it
/// was asked for. One for the pipe would not, but wakes all of Dispatch, which a single push does without: a thread waits.
enum SignalPipe {
    /// Can be read from when a signal has come.
    static var readEnd: Int32 { ends.read }

    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A handler must not wait for room, nor whoever empties it for more.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// From here on Ctrl-C and a polite kill no longer end the process.
    static func listen() {
        _ = readEnd
        for number in [SIGINT, SIGTERM] { signal(number) { _ in SignalPipe.ring() } }
    }

    /// Called by the handler, long after `readEnd` was first asked for.
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

    /// Calls `body` on a thread of its own whenever a signal has come, until the process ends.
    ///
    /// - Returns: `false` when no thread can be made.
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

        /// What the thread does.
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
