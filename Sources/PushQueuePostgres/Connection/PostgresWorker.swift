#if PushService
    import PushPlatform
    import PushQueue

    /// What runs on a thread: it owns the connection. Only the thread may use it.
    final class PostgresWorker {
        private let address: PostgresAddress
        private let settings: PostgresSettings
        private let work: PostgresWork
        private var connection: PostgresConnection?
        /// The host of the last connection that broke. A server that has lost its cluster may still take connections, and its commits hang.
        private var broken: PostgresAddress.Host?

        private init(_ address: PostgresAddress, _ settings: PostgresSettings, _ work: PostgresWork) {
            (self.address, self.settings, self.work) = (address, settings, work)
        }

        /// Starts a thread that does the work until it is stopped. Returns whether the system has one.
        static func start(
            name: String, address: PostgresAddress, settings: PostgresSettings, work: PostgresWork
        ) -> Bool {
            OwnThread.start(name) {
                let worker = PostgresWorker(address, settings, work)
                while let job = work.next() { job(worker) }
                worker.connection?.close()
                work.end()
            }
        }

        /// Runs a body with the connection.
        func perform<Value>(
            _ body: (PostgresConnection) throws(QueueError) -> Value
        ) -> Result<Value, QueueError> {
            do throws(QueueError) {
                let connection = try usableConnection()
                // Also after a success: a body may return that it has failed.
                defer { tidy(connection) }
                return .success(try body(connection))
            } catch {
                return .failure(error)
            }
        }

        private func usableConnection() throws(QueueError) -> PostgresConnection {
            if work.isAborted { throw .closed(address) }
            if let connection, !connection.hasEndedWhileIdle() { return connection }
            if let connection { broken = connection.host }
            connection?.close()
            connection = nil
            let new = try PostgresConnection(address, settings, last: broken)
            connection = new
            work.connected(new.socket)
            return new
        }

        /// After a body, the connection is ready for the next body or closed.
        private func tidy(_ connection: PostgresConnection) {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            guard connection.isBroken || connection.isInTransaction else { return }
            broken = connection.host
            connection.close()
            self.connection = nil
        }
    }
#endif
