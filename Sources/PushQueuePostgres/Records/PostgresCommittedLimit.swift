import PushPlatform
import PushQueue

/// The number below which no further outcome can be committed. A reader may read the outcomes up to it.
///
/// The number of an outcome consists of the number of its transaction and a position in it. Each writer of a queue
/// locks the table `queue` in the mode ROW SHARE before it gets the number of its transaction. So the locks of the server show which
/// transactions of this queue are running. Transactions of other programs do not matter, even if they take long.
///
/// The lock needs rights on the table. An advisory lock needs none: any role that may connect could hold up all writers with it, or hide
/// all outcomes.
extension PostgresText {
    /// The statement with which a transaction of a writer begins.
    static let joinWriters = PostgresText("LOCK TABLE ONLY queue IN ROW SHARE MODE")

    /// The number of the earliest running transaction of a writer, except the one of this connection. A later
    /// statement sees everything before this number.
    ///
    /// Among the running transactions, only those of writers count; their locks show it. A transaction that has its
    /// number but shows no lock yet may be a writer, so it also counts. If a transaction ends while this statement
    /// runs, the next statement sees its rows. The locks name transactions by the last 32 bits of their number.
    static let committedLimit: PostgresText = """
        WITH held AS MATERIALIZED (
            SELECT locktype, virtualtransaction, transactionid::text::int8 AS number, mode,
                locktype = 'relation' AS is_writer
            FROM pg_locks WHERE locktype = 'transactionid' OR (locktype = 'relation' AND mode = 'RowShareLock'
                AND granted AND relation = (SELECT to_regclass('queue'))
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        )
        SELECT coalesce(min(running::text::int8), pg_snapshot_xmax(pg_current_snapshot())::text::int8)
        FROM pg_snapshot_xip(pg_current_snapshot()) AS running
        WHERE coalesce((
            SELECT EXISTS (SELECT FROM held WHERE is_writer AND virtualtransaction = own.virtualtransaction)
            FROM held AS own
            WHERE own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
                AND own.number = running::text::int8 & 4294967295 LIMIT 1
        ), pg_xact_status(running) = 'in progress')
        """
}

/// How a target is stored: a first byte that says what it is, then the bytes of a token in hex, or a text.
enum StoredPostgresTarget {
    private static let token: UInt8 = 0
    private static let device: UInt8 = 1
    private static let channel: UInt8 = 2

    static func bytes(of target: QueueJobTarget) -> [UInt8] {
        switch target {
        case .device(let token):
            HexText.bytes(of: token).map { [Self.token] + $0 } ?? [Self.device] + Array(token.utf8)
        case .channel(let channel): [Self.channel] + Array(channel.utf8)
        }
    }

    static func read(_ bytes: [UInt8]) -> QueueJobTarget {
        let rest = bytes.dropFirst()
        return switch bytes.first {
        case token: .device(rest.withUnsafeBytes { HexText.of($0) })
        case channel: .channel(String(decoding: rest, as: UTF8.self))
        default: .device(String(decoding: rest, as: UTF8.self))
        }
    }
}
