package import PushPlatform
package import PushQueue

/// Importing what a queue in a file has exported. The queue is opened with ``PostgresQueue/Options/isImport``.
extension PostgresQueue {
    /// Seals the queue for an import. When it returns, nothing else changes the queue until ``endImport(_:)``.
    ///
    /// - Returns: How far the import is, and whether it is complete.
    /// - Throws: ``QueueError/Code/busy`` while workers are sending.
    package func beginImport(_ export: UUID) async throws(QueueError) -> (progress: QueueImport, isDone: Bool) {
        // The jobs of workers that have ended get an outcome or another try.
        _ = try await recoverLeases()
        return try await writing { (transaction) throws(QueueError) in try transaction.beginImport(export) }
    }

    /// Makes the queue usable again if no line of the import is stored.
    package func abandonImport(_ export: UUID) async throws(QueueError) {
        try await writing { (transaction) throws(QueueError) in try transaction.abandonImport(export) }
    }

    /// Stores the next lines of an import, once.
    ///
    /// - Returns: How far the import is. If that is not the end of the batch, it continues from there.
    package func take(_ batch: ImportBatch) async throws(QueueError) -> QueueImport {
        try await writing { (transaction) throws(QueueError) in try transaction.take(batch) }
    }

    /// Removes the seal of an import whose lines are all stored, and notes it.
    package func endImport(_ progress: QueueImport, audit: QueueAuditEntry? = nil) async throws(QueueError) {
        try await writing { (transaction) throws(QueueError) in try transaction.endImport(progress, audit: audit) }
    }

    /// How often a step is tried while the server is not reached.
    private static let tries = 6

    /// Runs a step of an import. If the answer to its commit was lost, the next try finds what is stored.
    private func writing<Value: Sendable>(
        _ step: @escaping @Sendable (PostgresTransaction) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        var attempt = 0
        while true {
            do throws(QueueError) { return try await intakeWriter.write(.alone, step) } catch {
                attempt += 1
                guard error.code == .unreachable, attempt < Self.tries, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: .milliseconds(100 << attempt))
            }
        }
    }
}

extension PostgresQueue {
    /// What an operator must know at the start: why the queue is sealed, and that a move by an earlier version has not ended.
    static func sealWarnings(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(QueueError) -> [String] {
        let queries = PostgresQueries(connection: connection, schema: address.schema)
        var warnings: [String] = []
        if let seal = try queries.seal() { warnings.append(QueueError.sealed(seal, address.withSchema).description) }
        if try connection.run(PostgresStatement(.unfinishedMoves)).count > 0 {
            warnings.append(
                """
                "pushserve queue move" of an earlier version has begun to move a file into \(address.withSchema), and hasn't ended. Campaigns of the \
                file are hidden until then. Finish the move with that version, or give it up: pushserve queue purge --all --app NAME, for \
                each app that has campaigns in the file.
                """)
        }
        return warnings
    }
}

extension PostgresText {
    /// A campaign that has the negative number of its app.
    fileprivate static let unfinishedMoves = PostgresText("SELECT FROM campaign WHERE app < 0 LIMIT 1")
}
