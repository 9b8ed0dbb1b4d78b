import Foundation
import NIOConcurrencyHelpers
import PushPlatform

/// Stands between clients and a server, and closes each connection on which a client sends a word.
package final class RefusingProxy: Sendable {
    package let port: Int
    private let listener: Int32
    private let refusals = NIOLockedValueBox(0)

    /// - Parameters:
    ///   - server: The port of the server.
    ///   - word: The server never gets it.
    ///   - answer: What the client gets before the connection is closed.
    /// - Throws: If no port is free.
    package init(to server: Int, refuses word: String, answering answer: String = "") throws {
        let listener = try LoopbackSocket.listen()
        (self.listener, port) = (listener.socket, listener.port)
        let (word, answer, refusals) = (Array(word.utf8), Array(answer.utf8), refusals)
        Thread.detachNewThread {
            while true {
                let client = accept(listener.socket, nil, nil)
                guard client >= 0 else { return }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { Self.carry(client, server, word, answer, refusals) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// How many connections it has closed for the word.
    package var count: Int { refusals.withLockedValue { $0 } }

    private static func carry(
        _ client: Int32, _ server: Int, _ word: [UInt8], _ answer: [UInt8], _ refusals: NIOLockedValueBox<Int>
    ) {
        defer { close(client) }
        guard let upstream = try? LoopbackSocket.connect(to: server) else { return }
        defer { close(upstream) }
        var ends = [client, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, -1) > 0 {
            for (index, other) in [(0, upstream), (1, client)] where ends[index].revents != 0 {
                let bytes = LoopbackSocket.read(ends[index].fd)
                if bytes.isEmpty { return }
                if index == 0, bytes.firstRange(of: word) != nil {
                    refusals.withLockedValue { $0 += 1 }
                    LoopbackSocket.write(answer, to: client)
                    return
                }
                LoopbackSocket.write(bytes, to: other)
            }
        }
    }
}
