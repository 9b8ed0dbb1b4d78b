import PushPlatform
import PushQueue

/// The steps of an import. Each batch is stored once, because its transaction also stores how far the import is.
extension PostgresTransaction {
    func beginImport(_ export: UUID) throws(QueueError) -> (progress: QueueImport, isDone: Bool) {
        // All other writers have begun with a lock that this one waits for, and read the seal after it.
        perform(.lockOutWriters)
        if let done = try finishedImport(export) {
            check()
            return (done, true)
        }
        if let seal = try seal() {
            guard case .importing(let progress) = seal, progress.export == export else {
                throw .sealed(seal, place)
            }
            check()
            return (progress, false)
        }
        let held = try query(.jobsOfLeases).first?.number(0) ?? 0
        guard held == 0 else { throw .stillSent(held, place) }
        let progress = QueueImport(of: export)
        perform(.putSeal, QueueSeal.kind, QueueSeal.importing(progress).bytes)
        perform(.continueNumbers)
        return (progress, false)
    }

    /// Removes the seal of an import of which no line is stored. Any other one stays.
    func abandonImport(_ export: UUID) throws(QueueError) {
        guard try seal() == .importing(QueueImport(of: export)) else { return check() }
        perform(.removeSeal, QueueSeal.kind)
    }

    func take(_ batch: ImportBatch) throws(QueueError) -> QueueImport {
        guard case .importing(var progress) = try seal(), progress.export == batch.export else {
            // Another process has completed the import.
            guard let done = try finishedImport(batch.export) else { throw .unknownImport(batch.export, place) }
            check()
            return done
        }
        guard progress.lines == batch.start else {
            // What can be read may still be missing on the standby. A commit after it waits for both.
            check()
            return progress
        }
        progress.lines = batch.end
        progress.present += batch.rows.count - (try insert(batch))
        perform(.putSeal, QueueSeal.kind, QueueSeal.importing(progress).bytes)
        return progress
    }

    func endImport(_ progress: QueueImport, audit: QueueAuditEntry?) throws(QueueError) {
        if try finishedImport(progress.export) != nil { return check() }
        guard try seal() == .importing(progress) else { throw .unknownImport(progress.export, place) }
        perform(.storeDoneImport, QueueImport.kindOfDone, progress.export.uuidString, progress.bytes)
        perform(.removeSeal, QueueSeal.kind)
        if let audit { try note(audit) }
        // Workers look for what is new.
        (changes.hasJobs, changes.hasCampaigns, changes.movesDue) = (true, true, true)
    }

    private var place: String { address.withSchema }

    private func seal() throws(QueueError) -> QueueSeal? {
        try query(.lockSeal, QueueSeal.kind).first.map { QueueSeal($0.bytes(0)) }
    }

    private func finishedImport(_ export: UUID) throws(QueueError) -> QueueImport? {
        let row = try query(.doneImport, QueueImport.kindOfDone, export.uuidString).first
        return row.flatMap { QueueImport(done: $0.bytes(0)) }
    }
}

extension QueueError {
    fileprivate static func stillSent(_ count: Int, _ place: String) -> QueueError {
        QueueError(
            .busy,
            """
            Workers of the queue \(place) are still sending \(counted(count, "job")). Nothing was imported. Stop these workers, then try again.
            """)
    }

    fileprivate static func unknownImport(_ export: UUID, _ place: String) -> QueueError {
        QueueError(
            .invalid,
            """
            The queue \(place) doesn't know the import of the export \(export.text) that has begun, for example because an older backup was \
            restored. Restore a newer backup, or start the import again.
            """)
    }
}

extension PostgresText {
    static let lockOutWriters = PostgresText("LOCK TABLE ONLY queue IN EXCLUSIVE MODE")
    fileprivate static let lockSeal = PostgresText(
        "SELECT value FROM record WHERE kind = $1::text AND key = 'seal' FOR UPDATE")
    fileprivate static let doneImport = PostgresText(
        "SELECT value FROM record WHERE kind = $1::text AND key = $2::text")
    fileprivate static let jobsOfLeases = PostgresText("SELECT coalesce(sum(held), 0)::int8 FROM lease")
    fileprivate static let putSeal: PostgresText = """
        INSERT INTO record VALUES ($1::text, 'seal', $2::bytea, nextval('version'))
        ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, version = excluded.version
        """
    fileprivate static let storeDoneImport = PostgresText(
        "INSERT INTO record VALUES ($1::text, $2::text, $3::bytea, nextval('version'))")
    fileprivate static let removeSeal = PostgresText("DELETE FROM record WHERE kind = $1::text AND key = 'seal'")
}
