internal import CPQ
import PushPlatform

/// What the notices of a server said. Notices are never printed.
final class PostgresNoticeBox {
    /// Whether the server stopped waiting for a synchronous standby. Then it reports a commit as successful that only this server
    /// has, and only a notice says so.
    var hasLostStandby = false

    /// Takes the notices of a connection. This object must live as long as the connection.
    func receive(from handle: OpaquePointer) {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(handle, { receiveNotice($0, $1) }, pointer)
    }
}

/// Called by libpq inside the functions that read.
private func receiveNotice(_ box: UnsafeMutableRawPointer?, _ notice: OpaquePointer?) {
    // The function in the source of the server: it is the same in all languages. "R" is PG_DIAG_SOURCE_FUNCTION.
    guard let box, let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))) else { return }
    guard strcmp(function, "SyncRepWaitForLSN") == 0 else { return }
    Unmanaged<PostgresNoticeBox>.fromOpaque(box).takeUnretainedValue().hasLostStandby = true
}
