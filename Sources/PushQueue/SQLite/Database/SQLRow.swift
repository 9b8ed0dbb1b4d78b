internal import GRDBSQLite
import PushPlatform

/// The current row of a statement. It is valid until the next step.
struct SQLRow: QueueRow, ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    func uuid(_ column: Int) -> UUID { UUID(bytes: bytes(column)) ?? UUID(0, 0) }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    func isText(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT }

    func text(_ column: Int) -> String {
        // The pointer comes first: it may convert the value, and so change its size.
        guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, Int32(column))
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }
}

extension QueueCampaign {
    static let columns = columns(settings: "campaign.settings")
    /// The settings can be large.
    static let columnsWithoutSettings = columns(settings: "x''")

    private static func columns(settings: String) -> String {
        """
        campaign.uuid, app.name, campaign.name, campaign.state, campaign.is_open, \(settings), campaign.rate,
        campaign.starts, campaign.expires, campaign.created, campaign.started, campaign.ended, campaign.last_line,
        campaign.lines, campaign.refused, campaign.held, campaign.waiting, campaign.in_flight, campaign.accepted,
        campaign.rejected, campaign.unknown, campaign.not_sent, campaign.window_at, campaign.window_count,
        campaign.window_rate, campaign.id, (SELECT shift FROM clock WHERE id = 1)
        """
    }

    /// A campaign from a row of ``columns``, at a time of the wall clock.
    init(_ row: borrowing SQLRow, now: QueueTime) {
        self.init(row)
        let window = SpeedWindow(begin: row.steady(22), count: row.integer(23), last: row.integer(24))
        speed = window.speed(at: SteadyTime(milliseconds: now.milliseconds &- row.integer(26)))
    }
}
