internal import PushProvider
package import PushQueue

/// The pauses of apps, which are the same for all workers.
extension DeliveryEngine {
    private static let pauseKind = "app_pause"
    /// The kind of the records that announce resumed apps. Each new version is one resume.
    private static let resumeKind = "app_resume"

    /// The kinds of records by which the workers of one queue find each other and see what has changed. They have no meaning in another queue.
    package static var kindsOfOneQueue: Set<String> { [resumeKind, WorkerHeartbeat.kind, StoredAppSetup.kind] }

    /// Pauses an app, also for other workers and after a restart. Pushes in flight are finished.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - reason: Why, for other people; empty for no reason.
    ///   - audit: What is noted.
    /// - Returns: Whether there is such an app.
    /// - Throws: ``QueueError``.
    @discardableResult
    package func pause(
        _ app: String, reason: String = "", audit: QueueAuditEntry? = nil
    ) async throws(QueueError) -> Bool {
        guard apps[app] != nil else { return false }
        _ = try await queue.store(
            reason.isEmpty ? Self.withoutReason : Array(reason.utf8), kind: Self.pauseKind, key: app, ifVersion: nil,
            audit: audit)
        setPaused(app, reason)
        return true
    }

    /// The record of a pause without a reason.
    private static let withoutReason: [UInt8] = [1]

    /// Ends a pause. An app that was refused tries again, at each worker.
    ///
    /// - Returns: Whether there is such an app.
    @discardableResult
    package func resume(_ app: String, audit: QueueAuditEntry? = nil) async throws(QueueError) -> Bool {
        guard apps[app] != nil else { return false }
        let wasPaused = try await queue.removeRecord(kind: Self.pauseKind, key: app, ifVersion: nil, audit: audit)
        if let audit, !wasPaused { try await queue.note(audit) }
        setPaused(app, nil)
        await tryAgain(app)
        try await storeResume(app)
        return true
    }

    private func setPaused(_ app: String, _ reason: String?) {
        pauseCount += 1
        pausedApps[app] = reason
        follow(app, reason)
    }

    private func follow(_ app: String, _ pause: String?) {
        guard let work = apps[app], work.phase.pause != pause else { return }
        work.phase.pause = pause
        report(work)
        claimWakeUp.send()
    }

    func readPauses() async throws(QueueError) {
        let count = pauseCount
        let paused = Dictionary(
            try await queue.records(kind: Self.pauseKind).map { record in
                (record.key, record.value == Self.withoutReason ? "" : String(decoding: record.value, as: UTF8.self))
            }
        ) { first, _ in first }
        // If this process has changed a pause since, its state is newer than what was read.
        guard count == pauseCount else { return }
        pausedApps = paused
        for name in apps.keys { follow(name, paused[name]) }
    }

    // MARK: Ends of pauses

    private func storeResume(_ app: String) async throws(QueueError) {
        guard options.isShared else { return }
        let time = try await queue.now()
        let version = try await queue.store(
            Array("\(time.milliseconds)".utf8), kind: Self.resumeKind, key: app, ifVersion: nil)
        resumes?[app] = version
    }

    /// Reads the ends of pauses that other workers have stored since the last time.
    func readResumes() async throws(QueueError) {
        var found: [String: Int64] = [:]
        for record in try await queue.records(kind: Self.resumeKind) { found[record.key] = record.version }
        defer { resumes = found }
        guard let before = resumes else { return }
        for (app, version) in found where (before[app] ?? 0) < version { await tryAgain(app) }
    }
}
