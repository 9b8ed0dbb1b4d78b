/// How a queue in a file behaves.
public struct SQLiteQueueOptions: Sendable {
    /// The options that all backends have.
    public var queue = QueueOptions()
    /// How long a step waits for another process that writes to the same file.
    public var busyTimeout: Duration = .seconds(10)
    /// The maximum size of the file in bytes; `nil` for the size of the disk. A queue of this size takes no more jobs.
    public var maximumBytes: Int?
    /// Whether this process is the one service that works on the queue, until it ends or closes the queue. Commands for operators may
    /// still use the queue. If another process is the service, the queue is not opened (``QueueError/Code/busy``) and not changed.
    ///
    /// Two services would each count the rate of an app by themselves, and each post all outcomes.
    public var isService = false
    /// Whether this process moves the queue, so that it also may change a queue that is closed for a move.
    package var isMove = false

    /// Creates the usual options.
    public init() {}
}
