import Dispatch

/// Runs tasks one by one, in the order of their start, each until it waits for something: so a test knows when a send
/// has been handed in, without looking.
package final class OneByOne: TaskExecutor {
    package static let shared = OneByOne()

    private let queue = DispatchQueue(label: "one by one")

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns when every task started before has run until its first wait.
    package func goneThrough() async {
        await Task(executorPreference: self) {}.value
    }
}
