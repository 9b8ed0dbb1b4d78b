internal import NIOConcurrencyHelpers
import PushQueue

/// The time of the server, without a question each time.
final class ServerClock: Sendable {
    private let options: PostgresQueueOptions
    private let last = NIOLockedValueBox<(time: QueueTime, uptime: Duration)?>(nil)

    /// After this time, the server is asked again.
    private static let longestAge: Duration = .seconds(2)

    init(_ options: PostgresQueueOptions) {
        self.options = options
    }

    var uptime: Duration { options.queue.uptime() }

    /// The time; `nil` if the server is to be asked.
    func now() -> QueueTime? {
        let uptime = uptime
        guard let (time, before) = last.withLockedValue({ $0 }), uptime - before < Self.longestAge else {
            return nil
        }
        return time + (uptime - before)
    }

    /// The server was asked at an uptime.
    func note(_ time: QueueTime, askedAt before: Duration) {
        let after = uptime
        last.withLockedValue { $0 = (time, before + (after - before) / 2) }
    }
}
