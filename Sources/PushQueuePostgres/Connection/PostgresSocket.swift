internal import NIOConcurrencyHelpers
import PushPlatform

/// A second descriptor of a connection's socket. So any thread can end the connection, while libpq may close its own descriptor and
/// the system may give that number to another file.
final class PostgresSocket: Sendable {
    private let descriptor: NIOLockedValueBox<Int32>

    /// - Parameter socket: The descriptor of libpq.
    init(_ socket: Int32) {
        descriptor = NIOLockedValueBox(fcntl(socket, F_DUPFD_CLOEXEC, 0))
    }

    deinit { close() }

    /// Ends the connection in both directions. Who waits for the socket wakes up.
    func end() {
        descriptor.withLockedValue { descriptor in
            if descriptor >= 0 { _ = PushPlatform.shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        descriptor.withLockedValue { descriptor in
            if descriptor >= 0 { _ = PushPlatform.close(descriptor) }
            descriptor = -1
        }
    }

    enum Wait: Equatable {
        case isReady
        case timedOut
        case failed
    }

    /// Waits until a socket can be read or written.
    ///
    /// - Parameters:
    ///   - socket: The descriptor.
    ///   - events: `POLLIN`, `POLLOUT` or both.
    ///   - deadline: When to stop waiting.
    /// - Returns: What happened first.
    static func wait(_ socket: Int32, for events: Int32, until deadline: ContinuousClock.Instant) -> Wait {
        guard socket >= 0 else { return .failed }
        while true {
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            switch poll(&entry, 1, (deadline - ContinuousClock.now).timeoutMilliseconds) {
            case 0: if ContinuousClock.now >= deadline { return .timedOut }
            case 1...: return .isReady
            default: if errno != EINTR { return .failed }
            }
        }
    }
}
