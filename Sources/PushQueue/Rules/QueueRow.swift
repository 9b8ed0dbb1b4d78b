package import PushPlatform

/// A row of a result, as each engine has it. What both engines store is read here, so the statements of both have the same order of columns.
package protocol QueueRow: ~Copyable {
    func integer(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func bytes(_ column: Int) -> [UInt8]
    func uuid(_ column: Int) -> UUID
    func isNull(_ column: Int) -> Bool
}

/// These run for each value. They are inlinable, so that they are specialized in the module of each engine.
extension QueueRow where Self: ~Copyable {
    @inlinable package func number(_ column: Int) -> Int { Int(integer(column)) }

    @inlinable package func bool(_ column: Int) -> Bool { integer(column) != 0 }

    @inlinable package func time(_ column: Int) -> QueueTime { QueueTime(milliseconds: integer(column)) }

    @inlinable package func steady(_ column: Int) -> SteadyTime { SteadyTime(milliseconds: integer(column)) }

    @inlinable package func optional<Value>(_ column: Int, _ read: (borrowing Self, Int) -> Value) -> Value? {
        isNull(column) ? nil : read(self, column)
    }
}

// MARK: Jobs

extension QueueJobRecord {
    /// The `expires` of a stored job that does not expire.
    package static let never: Int64 = (1 << 47) - 1

    /// The columns of a job: app (its name), target, queued, due, push, state, priority, policy, expires, attempts, lost, started, owner,
    /// ends, finished, six of the outcome, dedupe_key, redriven_as, whether it is erased, campaign, line. That of the target, which each
    /// engine stores in its own way, is skipped.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row, from first: Int, id: UUID, target: QueueJobTarget) {
        self.init(
            id: id, app: row.text(first), target: target, queued: row.time(first + 2), due: row.time(first + 3))
        push = row.bytes(first + 4)
        state = QueueJobState(rawValue: row.number(first + 5)) ?? .finished
        priority = QueuePriority(rawValue: row.number(first + 6)) ?? .normal
        policy = QueueDeliveryPolicy(rawValue: row.number(first + 7)) ?? .atMostOnce
        expires = row.integer(first + 8) == Self.never ? nil : row.time(first + 8)
        (attempts, lostLeases) = (row.number(first + 9), row.number(first + 10))
        started = row.optional(first + 11) { $0.time($1) }
        owner = row.optional(first + 12) { $0.text($1) }
        leaseEnds = row.optional(first + 13) { min(max($0.time($1), .earliest), .latest) }
        finished = row.optional(first + 14) { $0.time($1) }
        outcome = QueueJobOutcome(row, from: first + 15)
        dedupeKey = row.optional(first + 21) { $0.text($1) }
        redrivenAs = row.optional(first + 22) { $0.uuid($1) }
        isErased = row.bool(first + 23)
        campaign = row.optional(first + 24) { $0.uuid($1) }
        line = row.optional(first + 25) { $0.number($1) }
    }
}

extension QueueRow where Self: ~Copyable {
    /// A job that a worker takes: due, expires, queued, policy, attempts, is_uncertain, target, push, payload, variables. The target and the
    /// payload, which each engine stores in its own way, are skipped.
    @inlinable package func claimedJob(
        from first: Int, _ lease: QueueJobLease, _ target: QueueJobTarget, _ priority: QueuePriority
    ) -> ClaimedQueueJob {
        var job = ClaimedQueueJob(lease: lease, target: target, queued: time(first + 2), due: time(first))
        job.expires = integer(first + 1) == QueueJobRecord.never ? nil : time(first + 1)
        job.policy = QueueDeliveryPolicy(rawValue: number(first + 3)) ?? .atMostOnce
        (job.attempts, job.mayHaveArrived) = (number(first + 4), bool(first + 5))
        (job.push, job.priority) = (bytes(first + 7), priority)
        job.variables = optional(first + 9) { $0.bytes($1) }
        return job
    }
}

extension QueueJobOutcome {
    fileprivate init?<Row: QueueRow & ~Copyable>(_ row: borrowing Row, from first: Int) {
        let kind = row.optional(first) { $0.number($1) }.flatMap { Kind(rawValue: $0) }
        guard let kind else { return nil }
        self.init(
            kind, reason: row.optional(first + 1) { $0.text($1) }, detail: row.optional(first + 2) { $0.text($1) })
        status = row.optional(first + 3) { $0.number($1) }
        uniqueID = row.optional(first + 4) { $0.uuid($1) }
        goneSince = row.optional(first + 5) { $0.time($1) }
    }
}

extension QueueJobEvent {
    /// Time, kind, detail.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        self.init(Kind(name: row.text(1)), at: row.time(0), detail: row.optional(2) { $0.text($1) })
    }
}

extension QueueJobContent {
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row, from first: Int) {
        self.init(
            payload: row.optional(first) { $0.bytes($1) }, variables: row.optional(first + 1) { $0.bytes($1) },
            result: row.optional(first + 2) { QueueResultCursor(number: $0.integer($1)) })
    }
}

extension StoredRequest {
    /// Digest, state, fence, answer.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        self.init(digest: row.bytes(0), state: row.number(1), fence: row.integer(2), answer: row.bytes(3))
    }
}

// MARK: Campaigns

extension StoredCampaign {
    /// Row, app, state, is_open, rate, starts, expires, level, level_at. Each engine has its own numbers of rows.
    package init<Source: QueueRow & ~Copyable>(_ source: borrowing Source, row: Row, app: Row) {
        self.init(
            row: row, app: app, state: source.number(2), isOpen: source.bool(3),
            rate: source.optional(4) { $0.number($1) }, starts: source.optional(5) { $0.time($1) },
            expires: source.optional(6) { $0.time($1) },
            bucket: ReleaseBucket(level: source.integer(7), time: source.steady(8)))
    }
}

extension QueueCampaign {
    /// All but the speed.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        self.init(id: row.uuid(0), app: row.text(1), name: row.text(2), created: row.time(9))
        state = QueueCampaignState(rawValue: row.number(3)) ?? .finished
        isOpen = row.bool(4)
        settings = row.bytes(5)
        rate = row.optional(6) { $0.number($1) }.flatMap { QueueCampaignRate(perThousandSeconds: $0) }
        starts = row.optional(7) { $0.time($1) }
        expires = row.optional(8) { $0.time($1) }
        started = row.optional(10) { $0.time($1) }
        ended = row.optional(11) { $0.time($1) }
        (lastLine, counts.lines, counts.refused) = (row.number(12), row.number(13), row.number(14))
        (counts.held, counts.waiting, counts.inFlight) = (row.number(15), row.number(16), row.number(17))
        (counts.accepted, counts.rejected) = (row.number(18), row.number(19))
        (counts.unknown, counts.notSent) = (row.number(20), row.number(21))
    }
}

extension QueueCampaignOutcome {
    /// Kind, reason, count.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        let reason = row.text(1)
        self.init(
            QueueJobOutcome.Kind(rawValue: row.number(0)) ?? .unknown, reason: reason.isEmpty ? nil : reason,
            count: row.number(2))
    }
}

extension QueueLineRefusal {
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row, from first: Int) {
        self.init(
            code: row.text(first), detail: row.text(first + 1), field: row.optional(first + 2) { $0.text($1) },
            remedy: row.optional(first + 3) { $0.text($1) })
    }
}

// MARK: Counts and audit

extension QueueCounts {
    /// After the name of the app.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        self.init()
        (held, waiting, leased) = (row.number(1), row.number(2), row.number(3))
        (started, kept, deadLetters) = (row.number(4), row.number(5), row.number(6))
        (accepted, rejected, unknown, notSent) = (row.number(7), row.number(8), row.number(9), row.number(10))
    }
}

extension QueueTally {
    /// Begin, kind, reason, count.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row, from first: Int, app: String) {
        self.init(
            app: app, begin: row.time(first), kind: QueueJobOutcome.Kind(rawValue: row.number(first + 1)) ?? .unknown,
            reason: row.text(first + 2), count: row.number(first + 3))
    }
}

extension QueueAuditRecord {
    /// Number, app, time, content.
    package init<Row: QueueRow & ~Copyable>(_ row: borrowing Row) {
        self.init(
            number: row.integer(0), time: row.time(2), entry: QueueAuditEntry(app: row.text(1), content: row.bytes(3)))
    }
}

// MARK: The newest outcomes

extension QueueNewestQuery {
    /// How many rows are read of an app for a page. No index has the accepted outcomes alone, because nearly all are accepted, nor those of
    /// a campaign by kind or reason.
    package func rowsToRead(limit: Int, ofCampaign: Bool) -> Int {
        let filters = [reason != nil, kind != nil].count { $0 }
        let isScanned = kind == .accepted || filters > (ofCampaign ? 0 : 1)
        return isScanned ? max(limit, Self.maximumScanned) : limit
    }

    /// Whether an outcome is asked for. Its kind is -1 if it has another reason.
    package func includes(kind: Int) -> Bool { self.kind.map { $0.rawValue == kind } ?? (kind >= 0) }

    /// How many rows are read of an app, if most of them may not match.
    private static var maximumScanned: Int { 1000 }
}
