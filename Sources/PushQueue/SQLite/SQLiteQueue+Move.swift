package import PushPlatform

/// What a move to a server does with the file. The queue is opened with ``SQLiteQueueOptions/isMove``.
extension SQLiteQueue {
    /// The mark of the move; `nil` if the queue is not being moved and was not moved.
    package func moveMark() async throws(QueueError) -> MoveMark? {
        try await read { (queries) throws(QueueError) in try queries.sql.moveMark() }
    }

    /// Closes the file for everything except the move. When it returns, the record of the move is on the disk.
    package func closeForMove(_ id: UUID, to address: String) async throws(QueueError) -> MoveMark {
        let mark = try await writer.write { (transaction) throws(QueueError) in
            let mark = MoveMark(id: id, address: address, closed: transaction.steady)
            try transaction.sql.setMoveMark(mark)
            return mark
        }
        return mark
    }

    /// Notes that everything has arrived.
    package func endMove(_ mark: MoveMark) async throws(QueueError) {
        var done = mark
        done.isDone = true
        let ended = done
        try await writer.write { (transaction) throws(QueueError) in try transaction.sql.setMoveMark(ended) }
    }

    /// The next things to move, of one part.
    package func moveBatch(
        after position: MovePosition, _ mark: MoveMark, staying: Set<String>, limit: Int
    ) async throws(QueueError) -> MoveBatch {
        let clocks = ClockSample(options.queue)
        return try await read { (queries) throws(QueueError) in
            try queries.moveBatch(after: position, mark, clocks, staying: staying, limit: limit)
        }
    }

    /// How many things each part of a move has. Without a mark, the keys that are valid now are counted.
    package func moveCounts(_ mark: MoveMark?, staying: Set<String>) async throws(QueueError) -> [MovePart: Int] {
        try await read { (queries) throws(QueueError) in
            let last = try queries.lastSteadyTime()
            return try queries.moveCounts(closed: mark?.closed ?? last, staying: staying)
        }
    }

    /// How many jobs workers have that live. Nothing is changed.
    package func jobsOfLivingWorkers() async throws(QueueError) -> Int {
        let clocks = ClockSample(options.queue)
        let held = try await read { (queries) throws(QueueError) in try queries.heldJobs(clocks) }
        return held.filter { !owners.isDead($0.key) }.reduce(0) { $0 + $1.value }
    }

    /// Jobs without an outcome, in the order of their ids.
    package func unfinishedJobs(
        after id: UUID?, limit: Int
    ) async throws(QueueError) -> [(app: String, id: UUID)] {
        let row = id.flatMap { JobKey($0)?.row } ?? -1
        return try await read { (queries) throws(QueueError) in
            try queries.unfinishedJobs(after: row, limit: limit)
        }
    }
}
