/// Why a queue cannot do what it should.
public struct QueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later versions may add more.
    public struct Code: Sendable, Hashable {
        /// The word for programs.
        public let name: String

        package init(name: String) {
            self.name = name
        }

        /// The file or its folder does not exist, or is something else.
        public static let unusable = Code(name: "unusable")
        /// The file or its folder cannot be written.
        public static let unwritable = Code(name: "unwritable")
        /// The file is not a queue.
        public static let foreign = Code(name: "foreign")
        /// The queue belongs to a newer version of this program.
        public static let newerVersion = Code(name: "newer_version")
        /// The data is damaged.
        public static let damaged = Code(name: "damaged")
        /// Another process locks the queue for too long.
        public static let busy = Code(name: "busy")
        /// The disk is full.
        public static let diskFull = Code(name: "disk_full")
        /// Reading or writing failed.
        public static let inputOutput = Code(name: "input_output")
        /// The database can lose committed data.
        public static let notDurable = Code(name: "not_durable")
        /// The queue was closed.
        public static let closed = Code(name: "closed")
        /// The task of the caller was cancelled while it read.
        public static let cancelled = Code(name: "cancelled")
        /// An argument is out of its limits.
        public static let invalid = Code(name: "invalid")
        /// A value is larger than a queue stores.
        public static let tooLarge = Code(name: "too_large")
        /// The database refused a statement: a defect of this program.
        public static let defect = Code(name: "defect")
        /// The server cannot be reached, or the connection broke.
        public static let unreachable = Code(name: "unreachable")
        /// The server refused the user: a wrong password, no such user or database, a certificate that is not trusted, or missing rights.
        public static let refused = Code(name: "refused")
        /// There is no queue, and the caller did not ask to create one.
        public static let missing = Code(name: "missing")
        /// The queue was exported, or an import into it is not complete. It can be read, and not be changed.
        public static let sealed = Code(name: "sealed")
        /// There was a conflict with another transaction: the step may be tried again.
        public static let conflict = Code(name: "conflict")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, in a few sentences.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - description: What is wrong and what to do.
    public init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}

/// What each queue refuses before it does anything.
package enum QueueArgument {
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= NewQueueJob.longestName && !text.utf8.contains(0)
    }

    package static func require(_ name: String, as what: String) throws(QueueError) {
        guard isName(name) else {
            throw QueueError(
                .invalid,
                "\(what) must have 1 to \(NewQueueJob.longestName) bytes, and no zero byte. It has \(name.utf8.count) bytes."
            )
        }
    }

    package static func require(_ value: [UInt8], atMost maximum: Int, as what: String) throws(QueueError) {
        guard value.count <= maximum else {
            throw QueueError(
                .tooLarge,
                "\(what) must have at most \(maximum) bytes. It has \(value.count). Nothing was stored. Shorten it."
            )
        }
    }

    package static func require(_ key: QueueIdempotencyKey) throws(QueueError) {
        try require(key.key, as: "An idempotency key")
        guard (1...64).contains(key.digest.count) else {
            throw QueueError(.invalid, "The digest of a request must have 1 to 64 bytes. It has \(key.digest.count).")
        }
    }
}
