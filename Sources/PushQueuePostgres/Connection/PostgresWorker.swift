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
        DedicatedThread.start(name) {
            let worker = PostgresWorker(address, settings, work)
            while let job = work.next() { job(worker) }
            worker.connection?.close()
            work.end()
        }
    }

    func perform<Value>(
        _ body: (PostgresConnection) throws(QueueError) -> Value
    ) -> Result<Value, QueueError> {
        Result { () throws(QueueError) in
            let connection = try usableConnection()
            do throws(QueueError) {
                let value = try body(connection)
                // A body may return that its connection broke.
                if connection.isBroken { drop(connection) }
                return value
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                if connection.isBroken || connection.isInTransaction { drop(connection) }
                throw error
            }
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

    /// The server ends its work for a connection that is closed.
    private func drop(_ connection: PostgresConnection) {
        broken = connection.host
        connection.close()
        self.connection = nil
    }
}
