import NIOCore
import NIOPosix

/// The process's first thread as an event loop that also runs the command's tasks.
///
/// For one push more threads only cost: each has to be made, and to be woken by the one before it. Nothing waits for
/// the loop while a command reads its files and asks its questions, for there is no connection before that is done.
final class OneThread: TaskExecutor {
    let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs `body` and what it waits for, until something ends the process.
    static func run(_ body: @escaping @Sendable (OneThread) async -> Void) -> Never {
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
            let thread = OneThread(loop)
            Task(executorPreference: thread) { await body(thread) }
        }
        Output.exit(.ourFault)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
