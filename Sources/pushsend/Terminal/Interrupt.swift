import Dispatch

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
    // Unsafe in name only: written in `init`, read in `deinit`, and nobody else can see it.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let happenings: AsyncStream<Void>
    private let happened: AsyncStream<Void>.Continuation

    init() {
        let (happenings, happened) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.happenings = happenings
        self.happened = happened
        source = DispatchSource.makeReadSource(fileDescriptor: SignalPipe.readEnd)
        source.setEventHandler {
            SignalPipe.empty()
            happened.yield()
        }
        source.resume()
        SignalPipe.listen()
    }

    deinit {
        source.cancel()
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
        let task = Task { try await body() }
        let watch = Task {
            await interrupt.wait()
            if !Task.isCancelled { task.cancel() }
        }
        defer { watch.cancel() }
        let result = try await task.value
        return (result, task.isCancelled)
    }
}

/// How a signal handler tells the rest of the process: writing to a pipe is one of the few things that it may do.
///
/// A dispatch source for signals would lose those that come before it is registered, which happens some time after it
/// was asked for.
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
}
