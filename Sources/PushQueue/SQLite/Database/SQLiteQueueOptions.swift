/// How a queue in a file behaves.
public struct SQLiteQueueOptions: Sendable {
    /// What all backends have.
    public var queue = QueueOptions()
    /// How long a step waits for another process that writes to the same file.
    public var busyTimeout: Duration = .seconds(10)
    /// The maximum size of the file in bytes; `nil` for the size of the disk. A queue of this size takes no more jobs.
    public var maximumBytes: Int?

    /// Creates the usual options.
    public init() {}
}
