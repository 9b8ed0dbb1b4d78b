import PushPlatform
package import PushQueue

/// Moves the queue in a file to PostgreSQL: every waiting job exactly once, with everything that belongs to it.
///
/// It can end at any moment, for any reason, and continues when it is run again. For this, the target stores each
/// batch and the position after it in one transaction.
package struct QueueMove: Sendable {
    private let source: SQLiteQueue
    private let target: PostgresQueue
    /// The kinds of records that belong to the file alone.
    private let staying: Set<String>
    private let batchSize: Int

    /// - Parameters:
    ///   - source: The file, opened as a service and for a move.
    ///   - target: The queue on a server.
    ///   - staying: The kinds of records that are not moved.
    ///   - batchSize: How many rows are moved in one transaction, at most.
    package init(
        from source: SQLiteQueue, to target: PostgresQueue, staying: Set<String>, batchSize: Int = 4000
    ) {
        (self.source, self.target, self.staying, self.batchSize) = (source, target, staying, batchSize)
    }

    /// How far a move has got.
    package struct State: Sendable {
        package var mark: MoveMark
        package var progress: MoveProgress
        /// How many things each part has in the file.
        package var counts: [MovePart: Int]

        package var isComplete: Bool { progress.position.part == .end }
    }

    /// What the proof has found, by app.
    package struct Proof: Sendable {
        /// The number of jobs of each app in the file.
        package var expected: [String: Int] = [:]
        /// How many of them the target has.
        package var found: [String: Int] = [:]
        /// How many of them the target has more than once.
        package var doubled = 0
        /// Parts whose numbers in the file and in the target differ.
        package var wrongParts: [MovePart] = []

        /// How many jobs of each app the target lacks.
        package var missing: [String: Int] {
            expected.merging(found) { $0 - $1 }.filter { $0.value > 0 }
        }

        package var isComplete: Bool { expected == found && isRightButForMissing }

        /// Whether nothing is wrong but that the target lacks jobs.
        package var isRightButForMissing: Bool { doubled == 0 && wrongParts.isEmpty }
    }

    /// The number of ids that the target is asked for at once.
    private static let proofSize = 5000
    /// How often a batch is tried while the server is not reached.
    private static let tries = 6

    // MARK: Steps

    /// Gives an outcome or another try to the jobs of workers that have ended. If a worker still has jobs, the move stops.
    package func settle() async throws(QueueError) {
        if try await source.moveMark() != nil { return }
        _ = try await source.recoverLeases()
        let held = try await source.counts().values.reduce(0) { $0 + $1.leased + $1.started }
        guard held == 0 else { throw .stillSent(held, source.path) }
    }

    /// Refuses a file that a worker still sends from. Unlike ``settle()``, this changes nothing.
    package static func refuseWorkers(of source: SQLiteQueue) async throws(QueueError) {
        let held = try await source.jobsOfLivingWorkers()
        guard held == 0 else { throw .stillSent(held, source.path) }
    }

    /// Closes the file, unless an earlier run did so. From then on, only the move changes it.
    package func begin() async throws(QueueError) -> State {
        let known = try await source.moveMark()
        let mark: MoveMark
        if let known {
            mark = known
        } else {
            try await refuseCopy()
            let id = UUID()
            // The target first: a move that it does not know is refused.
            try await target.begin(id)
            mark = try await source.closeForMove(id, to: target.address.withSchema)
        }
        guard let progress = try await target.progress(of: mark.id) else {
            throw .unknownMove(source.path, mark, target.address)
        }
        let counts = try await source.moveCounts(mark, staying: staying)
        return State(mark: mark, progress: progress, counts: counts)
    }

    /// Refuses a copy of a file that was moved: the target has its jobs.
    package func refuseCopy() async throws(QueueError) {
        let limit = min(max(batchSize, 1), Self.proofSize)
        var last: UUID?
        while true {
            let page = try await source.unfinishedJobs(after: last, limit: limit)
            guard let end = page.last else { return }
            last = end.id
            for (app, jobs) in Dictionary(grouping: page, by: \.app) {
                if let id = try await target.firstKnown(jobs.map(\.id), app: app) {
                    throw .movedBefore("The job \(id.uuidString.lowercased())")
                }
            }
        }
    }

    /// The position of the move according to the target; `nil` if it does not know it.
    package func progress(of mark: MoveMark) async throws(QueueError) -> MoveProgress? {
        try await target.progress(of: mark.id)
    }

    /// Moves the next batch.
    package func step(_ state: State) async throws(QueueError) -> State {
        var next = state
        let batch = try await source.moveBatch(
            after: state.progress.position, state.mark, staying: staying, limit: batchSize)
        var attempt = 0
        while true {
            do throws(QueueError) {
                next.progress = try await target.insert(batch, of: state.mark.id)
                guard next.progress.position == batch.end else {
                    throw QueueError(
                        .conflict,
                        """
                        The move in \(target.address.withSchema) has another position than expected, for example because that queue \
                        was restored. Start the move again: it continues from that position.
                        """)
                }
                return next
            } catch {
                // If the answer to the commit was lost, the next try finds the new position.
                attempt += 1
                guard error.code == .unreachable, attempt < Self.tries, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: .milliseconds(100 << attempt))
            }
        }
    }

    /// Asks the target for each job of the file, and compares the numbers of everything else.
    package func prove(_ state: State, _ asked: (Int) -> Void = { _ in }) async throws(QueueError) -> Proof {
        var proof = Proof()
        var (last, count): (UUID?, Int) = (nil, 0)
        while true {
            let jobs = try await source.unfinishedJobs(after: last, limit: Self.proofSize)
            guard let end = jobs.last else { break }
            last = end.id
            for (app, jobs) in Dictionary(grouping: jobs, by: \.app) {
                let found = try await target.countJobs(jobs.map(\.id), app: app)
                proof.expected[app, default: 0] += jobs.count
                proof.found[app, default: 0] += found.jobs
                proof.doubled += found.rows - found.jobs
            }
            count += jobs.count
            asked(count)
        }
        for part in MovePart.allCases where part != .end {
            let inserted = state.progress.inserted(part)
            if inserted != state.counts[part] ?? 0 { proof.wrongParts.append(part) }
        }
        return proof
    }

    /// Notes in the file that everything has arrived.
    package func end(_ state: State) async throws(QueueError) {
        try await source.endMove(state.mark)
    }
}

extension QueueError {
    fileprivate static func stillSent(_ count: Int, _ path: String) -> QueueError {
        QueueError(
            .busy,
            """
            A running process is still sending \(counted(count, "job")) of \(path). Nothing was moved. End the process, \
            then try again.
            """)
    }

    /// A move can be continued only in the database where it began.
    package static func unknownMove(_ path: String, _ mark: MoveMark, _ address: PostgresAddress) -> QueueError {
        QueueError(
            .invalid,
            """
            The queue \(path) is being moved to \(mark.address), and \(address.withSchema) does not know this move. Nothing was changed. \
            Give the address with which the move began.
            """)
    }
}
