internal import NIOConcurrencyHelpers
import NIOCore
import PushCommandLine
import PushPlatform

/// Catches SIGINT (Ctrl-C) and SIGTERM from its creation on, so that a command can end in an orderly way. A process
/// has at most one at a time.
final class Interrupt: Sendable {
    private let events: AsyncStream<Void>
    private let happened: AsyncStream<Void>.Continuation
    /// Starts the thread that watches.
    private let start: Scheduled<Void>?

    /// How long a command without threads waits before it starts the thread that watches. A signal waits that long at
    /// most. A push to a server nearby needs less time, so it never starts the thread.
    private static let delay = TimeAmount.milliseconds(20)

    /// - Parameter loop: The event loop of a command that runs on it alone. Without it, the thread starts at once.
    init(on loop: (any EventLoop)? = nil) {
        let (events, happened) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        self.happened = happened
        SignalPipe.listen()
        SignalPipe.receive { happened.yield() }
        start = loop?.scheduleTask(in: Self.delay) { SignalPipe.watch() }
        if start == nil { SignalPipe.watch() }
    }

    /// Leaves later signals to a question or to another interrupt.
    private func end() {
        start?.cancel()
        SignalPipe.receive(nil)
    }

    /// Returns at the first SIGINT or SIGTERM, or when ``request()`` is called.
    func wait() async {
        for await _ in events { return }
    }

    /// Ends the wait as if Ctrl-C had been pressed.
    func request() {
        happened.yield()
    }

    /// Runs `body` and cancels it at SIGINT or SIGTERM, so that it can report its outcomes.
    ///
    /// - Returns: The result of `body`, and whether it was interrupted.
    static func cancelling<Result: Sendable>(
        on loop: (any EventLoop)? = nil, _ body: @escaping @Sendable () async -> Result
    ) async -> (result: Result, interrupted: Bool) {
        let interrupt = Interrupt(on: loop)
        defer { interrupt.end() }
        return await withTaskGroup(of: Result?.self) { tasks in
            tasks.addTask { await body() }
            tasks.addTask {
                await interrupt.wait()
                return nil
            }
            var interrupted = false
            while true {
                let result = await tasks.next() ?? nil
                // When one of the two ends, the other is no longer needed.
                tasks.cancelAll()
                if let result { return (result, interrupted) }
                interrupted = true
            }
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

    /// - Returns: Whether there was a signal.
    @discardableResult
    static func empty() -> Bool {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        var wasSignalled = false
        while read(readEnd, &bytes, bytes.count) > 0 { wasSignalled = true }
        return wasSignalled
    }

    private struct Watch: Sendable {
        var receiver: (@Sendable () -> Void)?
        var hasThread = false
    }

    private static let current = NIOLockedValueBox(Watch())

    /// Sets what is called after each signal, once there is a thread that watches; `nil` to leave signals in the pipe.
    static func receive(_ receiver: (@Sendable () -> Void)?) {
        current.withLockedValue { $0.receiver = receiver }
    }

    /// Starts a thread that calls the receiver after each signal. It ends at a signal without a receiver, which stays in the pipe. If
    /// the thread cannot be created, a signal ends the process as usual, also one that has already arrived.
    static func watch() {
        let isWatched = current.withLockedValue { watch in
            defer { watch.hasThread = true }
            return watch.hasThread
        }
        if isWatched { return }
        let hasThread = DedicatedThread.start("signals") {
            var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            while true {
                guard poll(&entry, 1, -1) > 0 else {
                    if errno == EINTR { continue }
                    return
                }
                let receiver = current.withLockedValue { watch in
                    watch.hasThread = watch.receiver != nil
                    return watch.receiver
                }
                guard let receiver else { return }
                empty()
                receiver()
            }
        }
        if hasThread { return }
        current.withLockedValue { $0.hasThread = false }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        if empty() { raise(SIGTERM) }
    }
}

/// How many files, and so connections, the system allows this process to open.
enum OpenFiles {
    /// Raises the limit to the maximum. Shells start with about 1000 for old programs, and allow far more on request.
    static func allowAsManyAsPossible() { SystemLimit.openFiles.raise() }

    /// Checks that there are enough descriptors, because SwiftNIO ends the process if it cannot open those of an event
    /// loop.
    ///
    /// - Throws: ``CommandFailure`` if there are too few.
    static func requireEnough() throws {
        guard let maximum = SystemLimit.openFiles.current, maximum < 1024 else { return }
        let open = (0..<Int32(maximum)).count { fcntl($0, F_GETFD) != -1 }
        guard maximum - open < needed else { return }
        allowAsManyAsPossible()
        guard let raised = SystemLimit.openFiles.current, raised < open + needed else { return }
        throw CommandFailure(
            .ourFault,
            """
            The system lets this process have \(raised) files and connections open, and it needs at least \(open + needed): \
            raise the limit with "ulimit -n 1024". Nothing was sent.
            """)
    }

    /// The minimum number of descriptors. An event loop needs three, and there is one loop per processor and one for
    /// the command. Of the others, ten are for signals, keys, the name lookup, and a connection, and 16 for Dispatch, the
    /// files of a campaign, and its input, which is opened several times: if these are missing, the process can end without
    /// a message.
    private static var needed: Int { 3 * (System.coreCount + 1) + 26 }
}
