import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import TestSupport

/// Stands between a client and a server. After a number of bytes from the client it passes on nothing, in either direction, until the
/// client has ended. A program can thus be killed at a byte that the test chooses, however fast it or the machine is.
final class FreezingProxy: Sendable {
    let port: Int
    private let listener: Int32
    private let budget = NIOLockedValueBox(Budget())

    /// What connections may still pass on.
    private struct Budget {
        /// How many bytes from the client; `nil`: all.
        var left: Int?
        /// Counts the calls of ``passes(_:)``. A connection from before a call passes on nothing after it.
        var generation = 0

        /// Takes up to this number of bytes for a connection. Returns how many.
        mutating func take(_ count: Int, for connection: Int) -> Int {
            guard connection == generation else { return 0 }
            guard let left else { return count }
            self.left = max(0, left - count)
            return min(left, count)
        }

        func isFrozen(for connection: Int) -> Bool { left == 0 || connection != generation }
    }

    /// Whether it passes on nothing any more.
    var isFrozen: Bool { budget.withLockedValue { $0.left == 0 } }

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
                let generation = budget.withLockedValue { $0.generation }
                Thread.detachNewThread { Self.carry(client, server, generation, budget) }
            }
            close(listener)
        }
    }

    /// Ends `accept`, and with it the thread, which closes the socket.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// New connections pass on this number of bytes together, and then nothing; `nil`: everything.
    func passes(_ count: Int?) {
        budget.withLockedValue { $0 = Budget(left: count, generation: $0.generation + 1) }
    }

    private static func carry(
        _ client: Int32, _ server: Int, _ generation: Int, _ budget: NIOLockedValueBox<Budget>
    ) {
        defer { close(client) }
        guard let upstream = try? LoopbackSocket.connect(to: server) else { return }
        defer { close(upstream) }
        var ends = [client, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, -1) > 0 {
            if ends[0].revents != 0 {
                let bytes = LoopbackSocket.read(client)
                if bytes.isEmpty { return }
                let passed = budget.withLockedValue { $0.take(bytes.count, for: generation) }
                LoopbackSocket.write(Array(bytes.prefix(passed)), to: upstream)
            }
            if ends[1].revents != 0 {
                let bytes = LoopbackSocket.read(upstream)
                if bytes.isEmpty { return }
                let isFrozen = budget.withLockedValue { $0.isFrozen(for: generation) }
                if !isFrozen { LoopbackSocket.write(bytes, to: client) }
            }
        }
    }
}
