internal import CPQ
import PushPlatform
import PushQueue

/// A connection to a server. It owns a PGconn of libpq. One thread at a time uses it.
final class PostgresConnection {
    let handle: OpaquePointer
    let settings: PostgresSettings
    let host: PostgresAddress.Host
    /// Which queue and which server, for errors.
    let endpoint: PostgresEndpoint
    /// Other threads may end the connection with it.
    let socket: PostgresSocket
    var names: [PostgresText: String] = [:]
    /// The number of names that were given.
    var namesSoFar = 0
    var parameters = PostgresParameters()
    let notices = PostgresNoticeBox()
    /// How long a round trip takes at most.
    private(set) var answerTime: Duration
    private var isClosed = false
    private var hasFailed = false
    /// Why the connection cannot be used any more, if it is one of these reasons.
    var end: End?
    /// Whether a commit may have been sent. If the connection breaks, the error says so.
    var mayCommit = true

    enum End {
        /// A statement has waited in vain for a lock.
        case lockTimeout
        case noAnswer
    }

    /// Connects to the first server that takes writes.
    ///
    /// - Parameters:
    ///   - address: The servers.
    ///   - settings: How long it waits for them.
    ///   - last: The host that is tried after all others.
    /// - Throws: ``QueueError`` with what is wrong at each server.
    init(
        _ address: PostgresAddress, _ settings: PostgresSettings, last: PostgresAddress.Host? = nil
    ) throws(QueueError) {
        let opening = PostgresOpening(address: address, settings: settings, last: last)
        let (handle, host) = try opening.open()
        (self.handle, self.host, socket) = (handle, host, PostgresSocket(PQsocket(handle)))
        endpoint = PostgresEndpoint(address: address, server: PostgresOpening.server(handle))
        (self.settings, answerTime) = (settings, settings.statementTime)
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        notices.receive(from: handle)
        PQsetnonblocking(handle, 1)
        if !settings.takesPooler { try refusePooler(opening.session) }
    }

    deinit { close() }

    /// Runs a body in which a round trip may take longer than otherwise.
    func waiting<Value>(_ time: Duration, _ body: () throws(QueueError) -> Value) throws(QueueError) -> Value {
        let before = answerTime
        answerTime = time
        defer { answerTime = before }
        return try body()
    }

    /// Whether a transaction is open. An error inside it leaves it open.
    var isInTransaction: Bool {
        guard !isBroken else { return false }
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether the connection cannot be used any more.
    var isBroken: Bool { isClosed || hasFailed || PQstatus(handle) != CONNECTION_OK }

    /// Whether the connection has broken while it was idle, for example because the server was stopped.
    func hasEndedWhileIdle() -> Bool {
        if isBroken { return true }
        // A server that stops says so first, and then ends the connection.
        while PostgresSocket.wait(PQsocket(handle), for: POLLIN, until: .now) != .timedOut {
            if PQconsumeInput(handle) != 1 || isBroken { return true }
        }
        return false
    }

    /// The connection cannot be used any more.
    func fail() {
        hasFailed = true
    }

    /// Closes the connection. It may be called twice, and does not wait for the server.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        // Otherwise libpq would send a termination message to a server that does not answer.
        if hasFailed { socket.end() }
        PQfinish(handle)
        socket.close()
    }

    /// Runs SQL without parameters. It may contain several statements.
    ///
    /// - Throws: ``QueueError`` of the first statement that failed. The server skips those behind it.
    func execute(_ sql: String) throws(QueueError) { _ = try lastRows(of: sql) }

    /// The rows of the last statement that has some, as text.
    private func lastRows(of sql: String) throws(QueueError) -> PostgresRows? {
        let deadline = try begin()
        try sent(PQsendQuery(handle, sql))
        try flush(until: deadline)
        var (rows, error): (PostgresRows?, QueueError?)
        while let result = try nextResult(until: deadline) {
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: continue
            case PGRES_TUPLES_OK: rows = PostgresRows(result)
            case PGRES_FATAL_ERROR: if error == nil { error = try failure(result, hasValues: false) }
            default: throw fail(.defect("COPY doesn't go through here", endpoint))
            }
        }
        try end(error)
        return rows
    }

    /// Throws if the server is a pooler: the process number that the client got is not that of the server, and the mark that the session
    /// began with is gone. Behind a proxy that only changes the number, each client has a session of its own.
    private func refusePooler(_ session: String) throws(QueueError) {
        mayCommit = false
        let row = try lastRows(of: "SELECT pg_backend_pid(), current_setting('pushserve.session', true)")?.first
        mayCommit = true
        let mark = row?.optional(1) { $0.text($1) }
        guard Self.isPooler(process: row?.text(0), of: backend, mark: mark, of: session) else { return }
        throw QueueError(.unusable, "\(endpoint) is a connection pooler, such as PgBouncer. \(Self.withoutPooler)")
    }

    static func isPooler(process: String?, of backend: Int32, mark: String?, of session: String) -> Bool {
        process != "\(backend)" && mark != session
    }

    static let withoutPooler = """
        It would change the settings of a session and lose its locks, so what is acknowledged could be lost. Put the address of the \
        server itself into the configuration.
        """

    /// Waits for notifications for a time.
    ///
    /// - Parameters:
    ///   - time: How long to wait.
    ///   - own: The process of the server whose notifications are left out.
    /// - Returns: The names of their channels. None if the time has passed.
    /// - Throws: ``QueueError`` if the connection broke.
    func waitForNotifications(_ time: Duration, without own: Int32? = nil) throws(QueueError) -> [String] {
        _ = try begin()
        let deadline = ContinuousClock.now + time
        while true {
            let channels = notifications(without: own)
            if !channels.isEmpty { return channels }
            switch PostgresSocket.wait(PQsocket(handle), for: POLLIN, until: deadline) {
            case .timedOut: return []
            case .isReady: if PQconsumeInput(handle) == 1 { continue }
            case .failed: break
            }
            throw fail(broken(lastMessage))
        }
    }

    /// The process of the server that serves this connection.
    var backend: Int32 { PQbackendPID(handle) }

    private func notifications(without own: Int32?) -> [String] {
        var channels: [String] = []
        while let notification = PQnotifies(handle) {
            if notification.pointee.be_pid != own {
                channels.append(String(cString: notification.pointee.relname))
            }
            PQfreemem(notification)
        }
        return channels
    }
}

/// What the notices of a server said. Notices are never printed.
final class PostgresNoticeBox {
    /// Whether the server stopped waiting for a synchronous standby. Then it reports a commit as successful that only this server
    /// has, and only a notice says so.
    var hasLostStandby = false
    /// Whether a GRANT gave less than it says, because the role may not give it: the server only warns (SQLSTATE 01007).
    var hasGrantedLess = false

    /// Takes the notices of a connection. This object must live as long as the connection.
    func receive(from handle: OpaquePointer) {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(handle, { receiveNotice($0, $1) }, pointer)
    }
}

/// Called by libpq inside the functions that read.
private func receiveNotice(_ box: UnsafeMutableRawPointer?, _ notice: OpaquePointer?) {
    guard let box else { return }
    let notices = Unmanaged<PostgresNoticeBox>.fromOpaque(box).takeUnretainedValue()
    // The function in the source of the server: it is the same in all languages. "R" is PG_DIAG_SOURCE_FUNCTION, "C" the SQLSTATE.
    if let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))), strcmp(function, "SyncRepWaitForLSN") == 0 {
        notices.hasLostStandby = true
    }
    if let state = PQresultErrorField(notice, Int32(UInt8(ascii: "C"))), strcmp(state, "01007") == 0 {
        notices.hasGrantedLess = true
    }
}
