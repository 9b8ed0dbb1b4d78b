import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import TestSupport

/// Stands between a client and a server. After a number of bytes from the client it passes on nothing, in either direction, until the
/// client has ended. A program can thus be killed at a byte that the test chooses, however fast it or the machine is.
final class FreezingProxy: Sendable {
    let port: Int
    private let listener: Int32
    /// How many bytes from the client it still passes on; `nil`: all.
    private let budget = NIOLockedValueBox<Int?>(nil)

    /// Whether it passes on nothing any more.
    var isFrozen: Bool { budget.withLockedValue { $0 == 0 } }

    /// Starts the proxy, which passes on everything.
    init(to server: Int) throws {
        let (listener, port) = try LoopbackSocket.listen()
        (self.listener, self.port) = (listener, port)
        let budget = budget
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { Self.carry(client, server, budget) }
            }
            close(listener)
        }
    }

    /// Ends `accept`, and with it the thread, which closes the socket.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// From now on it passes on this number of bytes, over all connections, and then nothing; `nil`: everything.
    func passes(_ count: Int?) { budget.withLockedValue { $0 = count } }

    private static func carry(_ client: Int32, _ server: Int, _ budget: NIOLockedValueBox<Int?>) {
        defer { close(client) }
        guard let upstream = try? LoopbackSocket.connect(to: server) else { return }
        defer { close(upstream) }
        var ends = [client, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, -1) > 0 {
            if ends[0].revents != 0 {
                let bytes = LoopbackSocket.read(client)
                if bytes.isEmpty { return }
                let passed = budget.withLockedValue { left -> Int in
                    guard let count = left else { return bytes.count }
                    left = max(0, count - bytes.count)
                    return min(count, bytes.count)
                }
                LoopbackSocket.write(Array(bytes.prefix(passed)), to: upstream)
            }
            if ends[1].revents != 0 {
                let bytes = LoopbackSocket.read(upstream)
                if bytes.isEmpty { return }
                if budget.withLockedValue({ $0 != 0 }) { LoopbackSocket.write(bytes, to: client) }
            }
        }
    }
}
