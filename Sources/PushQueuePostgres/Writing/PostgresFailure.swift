import PushQueue

/// Why a group of steps was not done.
struct PostgresFailure: Error {
    enum Kind {
        /// Nothing is done, because of a step or of another transaction.
        case refused
        /// Nothing is done, because another transaction has held a lock for too long.
        case lockTimeout
        /// The connection broke.
        case broken
        /// The server did not answer in time. Other groups would wait for it as long.
        case silent
        /// Nothing was sent, because no server can be reached.
        case noConnection
    }

    var error: QueueError
    var kind: Kind

    init(_ error: QueueError, _ kind: Kind) {
        (self.error, self.kind) = (error, kind)
    }
}
