package import PushPlatform

extension QueueBackend {
    /// Ends only jobs that have not been started.
    package func cancel(
        _ ids: [UUID], app: String, audit: QueueAudit? = nil
    ) async throws(QueueError) -> [QueueStopResult] {
        try await stop(ids, app: app, as: Self.cancelled, audit, isLast: true)
    }

    /// Cancels the next jobs of a change that looks for them page by page, and ends with the last ones. Returns how many were cancelled.
    package func cancel(
        _ ids: [UUID], app: String, isLast: Bool, _ audit: inout QueueAudit
    ) async throws(QueueError) -> QueueCancelled {
        var cancelled = QueueCancelled()
        guard !ids.isEmpty || (isLast && audit.isOpen) else { return cancelled }
        for result in try await stop(ids, app: app, as: Self.cancelled, audit, isLast: isLast) where result.isStopped {
            cancelled.add(isUncertain: result == .stoppedUncertain)
        }
        audit.add(cancelled.total, isLast: isLast)
        return cancelled
    }

    private static var cancelled: QueueJobOutcome { QueueJobOutcome(.notSent, reason: QueueJobOutcome.cancelled) }

    private func stop(
        _ ids: [UUID], app: String, as outcome: QueueJobOutcome, _ audit: QueueAudit?, isLast: Bool
    ) async throws(QueueError) -> [QueueStopResult] {
        // A step that notes who does it has a transaction of its own.
        try await change(audit == nil ? .shared(StepLocks(ids, app: app)) : .alone) { (steps) throws(QueueError) in
            let results = try steps.stop(ids, app: app, as: outcome)
            let entry = audit?.entry(results.count { $0.isStopped }, isLast: isLast)
            if let entry { try steps.note(entry) }
            return results
        }
    }

    /// Cancels waiting jobs of an app, and its campaigns that run or are paused, at most a number of jobs. Returns how many were
    /// cancelled. A step that cancels fewer than that may be the last.
    package func cancelAll(
        app: String, limit: Int, audit: QueueAudit? = nil
    ) async throws(QueueError) -> QueueCancelled {
        try await change { (steps) throws(QueueError) in
            let cancelled = try steps.cancelAll(app: app, limit: max(limit, 0))
            let (count, isLast) = (cancelled.total, cancelled.total < limit)
            if let entry = audit?.entry(count, isLast: isLast) { try steps.note(entry) }
            return cancelled
        }
    }

    /// Cancels all waiting jobs of an app, also those that a worker has but not started, and its campaigns that run or are paused. Returns how
    /// many were cancelled. `whenFurther` is called after each step.
    package func cancelAll(
        app: String, audit: QueueAudit, whenFurther: () throws -> Void = {}
    ) async throws -> QueueCancelled {
        let slice = 1000
        var (sum, count, audit) = (QueueCancelled(), slice, audit)
        var leased: QueueJobQuery? = QueueJobQuery(app: app, filter: .state(.leased), limit: slice)
        while let query = leased {
            let page = try await jobs(query)
            sum += try await cancel(page.items.map(\.id), app: app, isLast: false, &audit)
            leased = page.next.map {
                var next = query
                next.after = $0
                return next
            }
            try whenFurther()
        }
        while count > 0 {
            let cancelled = try await cancelAll(app: app, limit: slice, audit: audit)
            count = cancelled.total
            audit.add(count, isLast: count < slice)
            sum += cancelled
            try whenFurther()
        }
        return sum
    }

    /// Ends jobs of an app that have not been started as dead letters.
    package func bury(
        _ ids: [UUID], app: String, detail: String, audit: QueueAudit? = nil
    ) async throws(QueueError) -> [QueueStopResult] {
        let outcome = QueueJobOutcome(.notSent, reason: QueueJobOutcome.buried, detail: detail)
        return try await stop(ids, app: app, as: outcome, audit, isLast: true)
    }

    /// Puts dead letters of an app into the queue again, as new jobs. Each is due at once, or at its delivery time if that lies ahead and the
    /// new job does not expire before. Each keeps the place of the first one in the order of ``QueueReplacement``.
    package func redrive(
        _ ids: [UUID], app: String, expiry: NewQueueJob.Expiry, audit: QueueAudit? = nil
    ) async throws(QueueError) -> [QueueRedriveResult] {
        try await change { (steps) throws(QueueError) in
            let results = try steps.redrive(ids, app: app, expiry: expiry)
            let entry = audit?.entry(results.count { $0.isQueued }, isLast: true)
            if let entry { try steps.note(entry) }
            return results
        }
    }

    // MARK: Tokens that are gone

    /// A later time replaces an earlier one.
    package func recordGone(_ tokens: [GoneToken], app: String) async throws(QueueError) {
        var tokens = tokens
        for index in tokens.indices {
            try QueueArgument.require(tokens[index].token, as: "A device token")
            tokens[index].token = TokenText.canonical(tokens[index].token)
        }
        try await change(.shared(StepLocks(newApp: app))) { [tokens] (steps) throws(QueueError) in
            try steps.recordGone(tokens, app: app)
        }
    }

    package func gone(among tokens: [String], app: String) async throws(QueueError) -> [GoneToken] {
        try await query { (queries) throws(QueueError) in try queries.gone(among: tokens, app: app) }
    }

    /// The gone tokens of an app, in the order in which they were stored. The last page also has a cursor, for tokens that are stored
    /// later. The cursor is `nil` only if no token was ever stored.
    package func gone(
        app: String, after cursor: String?, limit: Int
    ) async throws(QueueError) -> QueuePage<GoneToken> {
        try await query { (queries) throws(QueueError) in try queries.gone(app: app, after: cursor, limit: limit) }
    }

    /// Removes device tokens from the gone ones, because they were registered again.
    package func forgetGone(
        _ tokens: [String], app: String, audit: QueueAuditEntry? = nil
    ) async throws(QueueError) {
        let tokens = tokens.map { TokenText.canonical($0) }
        try await change { (steps) throws(QueueError) in
            try steps.forgetGone(tokens, app: app)
            if let audit { try steps.note(audit) }
        }
    }

    // MARK: Erasures

    /// The number of the last erasure from inboxes, for ``EnqueueRequest/lastErasure``.
    package func lastErasure() async throws(QueueError) -> Int64 {
        if let record = try await record(kind: QueueErasure.kind, key: QueueErasure.key) { return record.version }
        return try await noteErasure()
    }

    /// Notes that something was erased from inboxes. What was read there before is not added any more: the jobs of an enqueue that is under
    /// way are stored when this returns, or never.
    @discardableResult package func noteErasure() async throws(QueueError) -> Int64 {
        try await store([], kind: QueueErasure.kind, key: QueueErasure.key, ifVersion: nil) ?? 0
    }

    // MARK: Records of the service

    /// Stores a record, if its version is still the given one; 0 means that there is none yet, `nil` any. A value of more than
    /// ``QueueServiceRecord/longestValue`` bytes is refused with the error ``QueueError/Code/tooLarge``.
    ///
    /// - Returns: The new version; `nil` if the version is another one.
    package func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?, audit: QueueAuditEntry? = nil
    ) async throws(QueueError) -> Int64? {
        try Self.requireRecord(kind, key, value)
        return try await change(.row(.record(kind: kind, key: key))) { (steps) throws(QueueError) in
            let stored = try steps.store(value, kind: kind, key: key, ifVersion: version)
            if let audit, stored != nil { try steps.note(audit) }
            return stored
        }
    }

    /// Stores a record if its version is still the given one, and in the same step others, whatever their versions are.
    ///
    /// - Returns: The new version of the first; `nil` if its version is another one. Then nothing is stored.
    package func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64,
        with others: [(kind: String, key: String, value: [UInt8])]
    ) async throws(QueueError) -> Int64? {
        for each in others + [(kind, key, value)] { try Self.requireRecord(each.kind, each.key, each.value) }
        return try await change { (steps) throws(QueueError) in
            guard let stored = try steps.store(value, kind: kind, key: key, ifVersion: version) else { return nil }
            for other in others {
                _ = try steps.store(other.value, kind: other.kind, key: other.key, ifVersion: nil)
            }
            return stored
        }
    }

    private static func requireRecord(_ kind: String, _ key: String, _ value: [UInt8]) throws(QueueError) {
        try QueueArgument.require(kind, as: "The kind of a record")
        try QueueArgument.require(key, as: "The key of a record")
        try QueueArgument.require(value, atMost: QueueServiceRecord.longestValue, as: "The value of a record")
    }

    package func record(kind: String, key: String) async throws(QueueError) -> QueueServiceRecord? {
        try await query { (queries) throws(QueueError) in try queries.record(kind: kind, key: key) }
    }

    /// In the order of their keys.
    package func records(
        kind: String, after key: String?, limit: Int
    ) async throws(QueueError) -> [QueueServiceRecord] {
        try await query { (queries) throws(QueueError) in try queries.records(kind: kind, after: key, limit: limit) }
    }

    package func records(kind: String) async throws(QueueError) -> [QueueServiceRecord] {
        var all: [QueueServiceRecord] = []
        while true {
            let page = try await records(kind: kind, after: all.last?.key, limit: 1000)
            all += page
            guard page.count == 1000 else { return all }
        }
    }

    /// Removes a record, if its version is still the given one; `nil` means any. Returns whether it was removed.
    package func removeRecord(
        kind: String, key: String, ifVersion version: Int64?, audit: QueueAuditEntry? = nil
    ) async throws(QueueError) -> Bool {
        try await change(.row(.record(kind: kind, key: key))) { (steps) throws(QueueError) in
            let isRemoved = try steps.removeRecord(kind: kind, key: key, ifVersion: version)
            if let audit, isRemoved { try steps.note(audit) }
            return isRemoved
        }
    }
}

extension QueueStopResult {
    package var isStopped: Bool { self == .stopped || self == .stoppedUncertain }
}

extension QueueRedriveResult {
    package var isQueued: Bool { if case .queued = self { true } else { false } }
}

/// The record whose version is the number of the last erasure from inboxes.
package enum QueueErasure {
    package static let kind = "erasure"
    package static let key = "last"
}
