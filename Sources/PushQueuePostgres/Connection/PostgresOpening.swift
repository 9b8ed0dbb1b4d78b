internal import CPQ
import PushPlatform
import PushQueue

/// Opens a connection: it tries the hosts of an address in turn.
///
/// libpq could do that by itself. But without blocking, it would wait for a silent host as long as the system does.
struct PostgresOpening {
    let address: PostgresAddress
    let settings: PostgresSettings
    /// The host that is tried after all others; `nil` to keep their order.
    var last: PostgresAddress.Host?

    /// The mark that the session begins with: a setting that nothing reads but the check for a pooler.
    let session = "\(UInt64.random(in: .min ... .max))"

    func open() throws(QueueError) -> (OpaquePointer, PostgresAddress.Host) {
        var failures: [PostgresConnectFailure] = []
        for host in hosts {
            switch connect(to: host) {
            case .success(let handle): return (handle, host)
            case .failure(let failure): failures.append(failure)
            }
            // Other servers of the same address would say the same.
            if failures.last?.isOfAllServers == true { break }
        }
        throw .cannotConnect(address, failures)
    }

    private var hosts: [PostgresAddress.Host] {
        let all = address.hosts.isEmpty ? [PostgresAddress.Host(name: "", port: "")] : address.hosts
        return all.filter { $0 != last } + all.filter { $0 == last }
    }

    private func connect(to host: PostgresAddress.Host) -> Result<OpaquePointer, PostgresConnectFailure> {
        guard let handle = start(host) else {
            return .failure(PostgresConnectFailure("\(host)", "there isn't enough memory", .defect, "", false))
        }
        // The errors contain SQLSTATE in this way.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        let failure = wait(for: handle, host)
        guard let failure else { return .success(handle) }
        PQfinish(handle)
        return .failure(failure)
    }

    /// Waits until a connection is ready. Returns why it cannot be used.
    private func wait(for handle: OpaquePointer, _ host: PostgresAddress.Host) -> PostgresConnectFailure? {
        let deadline = ContinuousClock.now + connectTime
        var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING else {
                let isStandby = PQparameterStatus(handle, "in_hot_standby").map { String(cString: $0) } == "on"
                return PostgresConnectFailure(
                    Self.server(handle), PostgresEndpoint.message(handle), isStandby: isStandby)
            }
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            if PostgresSocket.wait(PQsocket(handle), for: events, until: deadline) == .timedOut {
                return .silent(Self.server(handle), connectTime)
            }
            state = PQconnectPoll(handle)
        }
        let version = PQserverVersion(handle)
        // libpq writes 15.4 as 150004, and 9.6.24 as 90624.
        return version / 10_000 < settings.oldestVersion
            ? .tooOld(Self.server(handle), version / 10_000, settings.oldestVersion) : nil
    }

    /// The address may have a connect_timeout of its own, in seconds.
    private var connectTime: Duration {
        guard let seconds = address.parameters["connect_timeout"].flatMap(Int.init), seconds > 0 else {
            return settings.connectTime
        }
        return .seconds(seconds)
    }

    private func start(_ host: PostgresAddress.Host) -> OpaquePointer? {
        let parameters = Array(parameters(host))
        let keys = parameters.map { strdup($0.key) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keys + values { free(text) } }
        let keyPointers = keys.map { UnsafePointer($0) } + [nil]
        let valuePointers = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(keyPointers, valuePointers, 0)
    }

    private func parameters(_ host: PostgresAddress.Host) -> [String: String] {
        var parameters = address.parameters
        if !host.name.isEmpty { parameters["host"] = host.name }
        if !host.port.isEmpty { parameters["port"] = host.port }
        if !address.user.isEmpty { parameters["user"] = address.user }
        if !address.database.isEmpty { parameters["dbname"] = address.database }
        parameters["client_encoding"] = "UTF8"
        parameters["target_session_attrs"] =
            address.parameters["target_session_attrs"] ?? (settings.takesReadOnlyRoles ? "primary" : "read-write")
        // A server that is gone without a word is noticed while nothing is sent, too.
        let defaults = [
            "application_name": settings.applicationName, "keepalives": "1", "keepalives_idle": "10",
            "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "\(settings.statementTime.timeoutMilliseconds)",
        ]
        parameters.merge(defaults) { given, _ in given }
        let own = settings.serverSettings.sorted { $0.key < $1.key }.map { "-c \($0.key)=\($0.value)" }
        // Later options win: the parameters of the address do not change these.
        let path = settings.leavesSchema ? "" : "-c search_path=\"\(address.schema)\""
        let mark = settings.takesPooler ? "" : "-c pushserve.session=\(session)"
        parameters["options"] = """
            -c idle_in_transaction_session_timeout=\(settings.idleTime.timeoutMilliseconds) \
            \(parameters["options"] ?? "") -c statement_timeout=\(settings.serverTime.timeoutMilliseconds) \
            \(Self.transactionSettings) \(path) \(mark) \(own.joined(separator: " "))
            """
        return parameters
    }

    /// What the role or the database may have set otherwise. Each statement must see what was committed while it waited for a lock, and a
    /// notice says that a commit hasn't reached the standby.
    private static let transactionSettings = """
        -c default_transaction_isolation=read\\ committed -c default_transaction_deferrable=off -c client_min_messages=notice
        """

    /// The server that libpq talks to, as "host:port".
    static func server(_ handle: OpaquePointer) -> String {
        let name = PQhost(handle).map { String(cString: $0) } ?? ""
        let port = PQport(handle).map { String(cString: $0) } ?? ""
        if name.contains(":") { return "[\(name)]:\(port)" }
        return name.isEmpty ? port : "\(name):\(port)"
    }
}

/// How long a connection waits for its server.
struct PostgresSettings: Sendable {
    /// How long connecting to one host takes at most. Finding the addresses of a name is not included: the system decides how long
    /// that takes.
    var connectTime: Duration = .seconds(5)
    /// How long a round trip takes at most. Then the socket is closed, because a frozen server sends neither an answer nor an end.
    var statementTime: Duration = .seconds(15)
    /// The name that PostgreSQL shows for the connection, unless the address has another one.
    var applicationName = "pushserve"

    /// The oldest version of PostgreSQL that works: that of a queue.
    var oldestVersion: Int32 = 15

    var serverSettings: [String: String] = [:]
    /// Whether the database is of somebody else: its errors are about their statements.
    var isForeign = false
    /// Whether the `search_path` stays that of the role: statements and triggers of somebody else find their tables then.
    var leavesSchema = false
    /// Whether a pooler may share its sessions: each transaction then says what it needs.
    var takesPooler = false
    var onlyReads = false
    /// Whether `default_transaction_read_only` may be on. The server must be the primary all the same: a standby is behind it.
    var takesReadOnlyRoles = false

    /// After this time, the server ends a statement of a connection that only reads. It is a bit shorter than ``statementTime``, so that the
    /// connection survives. A commit must have no such limit: if it ends the wait for a synchronous standby, the server confirms a
    /// commit that only itself has.
    var serverTime: Duration { onlyReads ? statementTime * 9 / 10 : .zero }

    /// After this time, the server ends a connection that keeps a transaction open without doing anything.
    var idleTime: Duration { statementTime * 4 }
}

extension Duration {
    /// The whole milliseconds, rounded up, from 0 to the maximum of an `Int32`.
    var timeoutMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard self > .zero else { return 0 }
        guard seconds < 2_000_000 else { return .max }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
