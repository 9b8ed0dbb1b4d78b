import NIOCore
import NIOPosix

/// The main thread as an event loop that also runs the command's tasks.
///
/// For one push, more threads only cost time, to create and to wake them. A command may block this thread while it reads files
/// and asks questions, because there is no connection yet.
final class SingleThreadExecutor: TaskExecutor {
    let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs `body` and everything that it waits for, until the process ends.
    static func run(_ body: @escaping @Sendable (SingleThreadExecutor) async -> Void) -> Never {
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
            let thread = SingleThreadExecutor(loop)
            Task(executorPreference: thread) { await body(thread) }
        }
        Output.exit(.ourFault)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
