internal import NIOConcurrencyHelpers
import PushPlatform

/// The work of a thread. Other threads add to it.
///
/// It is unchecked, as everything in it is read and written under the lock.
final class PostgresWork: @unchecked Sendable {
    typealias Job = @Sendable (PostgresWorker) -> Void

    /// Its value says whether the thread has something to do.
    private let lock = ConditionLock(value: false)
    private var jobs: [Job] = []
    private var isStopped = false
    private var aborted = false
    private var hasEnded = false
    private var socket: PostgresSocket?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Adds a job. Returns whether it was taken.
    func add(_ job: @escaping Job) -> Bool {
        withLock {
            let isTaken = !isStopped && !hasEnded
            if isTaken { jobs.append(job) }
            return isTaken
        }
    }

    /// The next job for the thread, which waits for it; `nil` if the thread should end.
    func next() -> Job? {
        lock.lock(whenValue: true)
        defer { unlock() }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }

    /// No more jobs are taken.
    func stop() {
        withLock { isStopped = true }
    }

    /// No more jobs are taken, and the connection ends at once.
    func abort() {
        let present = withLock {
            (isStopped, aborted) = (true, true)
            return socket
        }
        present?.end()
    }

    var isAborted: Bool { withLock { aborted } }

    /// The thread has a new connection.
    func connected(_ socket: PostgresSocket) {
        withLock { self.socket = socket }
        if isAborted { socket.end() }
    }

    /// The thread has ended.
    func end() {
        let waiting = withLock {
            defer { waiters = [] }
            (hasEnded, socket) = (true, nil)
            return waiters
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Adds a task that waits for the end. Returns whether the thread still runs.
    func addWaiter(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        withLock {
            if !hasEnded { waiters.append(waiter) }
            return !hasEnded
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { unlock() }
        return body()
    }

    private func unlock() {
        lock.unlock(withValue: !jobs.isEmpty || isStopped)
    }
}
