internal import GRDBSQLite
import PushPlatform

/// The current row of a statement. It is valid until the next step.
struct SQLRow: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func time(_ column: Int32) -> QueueTime { QueueTime(milliseconds: integer(column)) }

    func steady(_ column: Int32) -> SteadyTime { SteadyTime(milliseconds: integer(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func isText(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_TEXT }

    func optional<Value>(_ column: Int32, _ read: (borrowing SQLRow, Int32) -> Value) -> Value? {
        isNull(column) ? nil : read(self, column)
    }

    func text(_ column: Int32) -> String {
        // The pointer comes first: it may convert the value, and so change its size.
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}

extension QueueCampaign {
    /// The columns of a campaign with the name of its app.
    static let columns = columns(settings: "campaign.settings")
    /// The same without the settings, which can be large.
    static let columnsWithoutSettings = columns(settings: "x''")

    private static func columns(settings: String) -> String {
        """
        campaign.uuid, app.name, campaign.name, campaign.state, campaign.is_open, \(settings), campaign.rate,
        campaign.starts, campaign.expires, campaign.created, campaign.started, campaign.ended, campaign.last_line,
        campaign.window_at, campaign.window_count, campaign.window_rate, campaign.lines, campaign.refused,
        campaign.held, campaign.waiting, campaign.in_flight, campaign.accepted, campaign.rejected, campaign.unknown,
        campaign.not_sent, campaign.id, (SELECT shift FROM clock WHERE id = 1)
        """
    }

    /// A campaign from a row of ``columns``, at a time of the wall clock.
    init(_ row: borrowing SQLRow, now: QueueTime) {
        self.init(
            id: UUID(bytes: row.bytes(0)) ?? UUID(0, 0), app: row.text(1), name: row.text(2), created: row.time(9))
        state = QueueCampaignState(rawValue: row.number(3)) ?? .finished
        isOpen = row.integer(4) != 0
        settings = row.bytes(5)
        rate = row.optional(6) { $0.number($1) }.flatMap { QueueCampaignRate(perThousandSeconds: $0) }
        starts = row.optional(7) { $0.time($1) }
        expires = row.optional(8) { $0.time($1) }
        started = row.optional(10) { $0.time($1) }
        ended = row.optional(11) { $0.time($1) }
        lastLine = row.number(12)
        let window = SpeedWindow(
            begin: row.steady(13), count: row.integer(14), last: row.integer(15))
        speed = window.speed(at: SteadyTime(milliseconds: now.milliseconds &- row.integer(26)))
        (counts.lines, counts.refused, counts.held) = (row.number(16), row.number(17), row.number(18))
        (counts.waiting, counts.inFlight) = (row.number(19), row.number(20))
        (counts.accepted, counts.rejected) = (row.number(21), row.number(22))
        (counts.unknown, counts.notSent) = (row.number(23), row.number(24))
    }
}
