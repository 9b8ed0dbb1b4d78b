package import PushPlatform

/// Sealing and exporting. The queue is opened with ``SQLiteQueue/Options/isExport``.
extension SQLiteQueue {
    /// Seals the queue. When it returns, no process can change the queue any more. A queue that was exported before keeps its seal.
    ///
    /// - Parameters:
    ///   - target: The only queue that may import it; `nil` if the first one to begin is that queue.
    ///   - audit: What is noted with a new seal.
    /// - Returns: The export.
    /// - Throws: ``QueueError/Code/busy`` while a process is sending, and ``QueueError/Code/sealed`` for another seal or target.
    package func seal(for target: UUID?, audit: QueueAuditEntry? = nil) async throws(QueueError) -> QueueExport {
        // The jobs of workers that have ended get an outcome or another try.
        if try await seal() == nil { _ = try await recoverLeases() }
        return try await writer.write { [path] (transaction) throws(QueueError) in
            if let seal = try transaction.sql.seal() {
                guard case .exported(var export) = seal else { throw .sealed(seal, path) }
                guard let target, target != export.target else { return export }
                guard export.target == nil else { throw .otherTarget(export, path) }
                export.target = target
                try transaction.sql.setSeal(.exported(export))
                return export
            }
            let held = try transaction.sql(.heldJobs).first { $0.number(0) } ?? 0
            guard held == 0 else { throw .stillSent(held, path) }
            let export = QueueExport(
                id: UUID(), sealed: transaction.now, steady: transaction.steady, target: target)
            try transaction.sql.setSeal(.exported(export))
            if let audit { try transaction.note(audit) }
            return export
        }
    }

    /// Notes which queue imports an export, before it takes the first line. From then on, the queue can't be unsealed.
    package func claim(_ export: UUID, for target: UUID) async throws(QueueError) {
        try await writer.write { [path] (transaction) throws(QueueError) in
            guard case .exported(var found) = try transaction.sql.seal(), found.id == export else {
                throw .otherExport(export, path)
            }
            guard found.target == nil || found.target == target else { throw .otherTarget(found, path) }
            found.target = target
            try transaction.sql.setSeal(.exported(found))
        }
    }

    /// Removes the seal, unless a queue has begun to import the export. Returns whether there was one.
    package func unseal(audit: QueueAuditEntry? = nil) async throws(QueueError) -> Bool {
        try await writer.write { [path] (transaction) throws(QueueError) in
            guard let seal = try transaction.sql.seal() else { return false }
            guard case .exported(let export) = seal, export.target == nil else { throw .sealed(seal, path) }
            try transaction.sql.removeSeal()
            if let audit { try transaction.note(audit) }
            return true
        }
    }

    /// Reads everything that an export has, from one snapshot.
    ///
    /// - Parameters:
    ///   - export: The export, whose seal the queue has.
    ///   - staying: The kinds of records that are left out.
    ///   - take: Gets each row.
    /// - Throws: ``QueueError`` if the queue cannot be read, or what `take` throws.
    package func export(
        _ export: QueueExport, without staying: Set<String>,
        _ take: @escaping @Sendable (ExportRow) throws(QueueError) -> Void
    ) async throws(QueueError) {
        try await read { (queries) throws(QueueError) in
            for part in ExportPart.allCases {
                try queries.export(part, export) { (row) throws(QueueError) in
                    if part == .record, staying.contains(row["kind"].text ?? "") { return }
                    try take(row)
                }
            }
        }
    }
}

extension QueueError {
    fileprivate static func stillSent(_ count: Int, _ path: String) -> QueueError {
        QueueError(
            .busy,
            """
            A running process is still sending \(counted(count, "job")) of \(path). The queue wasn't sealed. End the process, then try \
            again.
            """)
    }

    fileprivate static func otherTarget(_ export: QueueExport, _ path: String) -> QueueError {
        QueueError(
            .sealed,
            """
            The queue \(path) was exported for the queue \(export.target?.text ?? ""), and no other one may import it: its pushes would be \
            sent twice.
            """)
    }

    fileprivate static func otherExport(_ export: UUID, _ path: String) -> QueueError {
        QueueError(
            .invalid,
            """
            The queue \(path) isn't sealed by the export \(export.text): the file is of another queue, or the queue was unsealed since. Give \
            the queue from which the file comes, or export it again.
            """)
    }
}

extension SQLText {
    fileprivate static let heldJobs = SQLText("SELECT coalesce(sum(held), 0) FROM lease")
}
