import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import TestSupport

/// Stands between a client and a server. It cuts the connection at the first bytes from the client that contain a word, and then closes
/// all further connections at once.
final class CuttingProxy: Sendable {
    /// When it cuts.
    enum Moment: Sendable {
        /// The server never gets the word.
        case beforeTheServer
        /// The server has the word, and may still be busy with it.
        case beforeTheAnswer
        /// The server has answered, but the client does not get the answer.
        case afterTheAnswer
    }

    let port: Int
    private let listener: Int32

    private let refusals = NIOLockedValueBox(0)

    /// How many connections it has closed after the first one.
    var refused: Int { refusals.withLockedValue { $0 } }

    /// Starts the proxy.
    init(to server: Int, word: String, cuts moment: Moment) throws {
        let (listener, port) = try LoopbackSocket.listen()
        (self.listener, self.port) = (listener, port)
        let word = Array(word.utf8)
        let refusals = refusals
        Thread.detachNewThread {
            Self.carry(listener, server, word, moment)
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                refusals.withLockedValue { $0 += 1 }
                close(client)
            }
            close(listener)
        }
    }

    /// Ends `accept`, and with it the thread, which closes the socket.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Returns when the process of the server has ended its transaction, so that it holds no locks when the client tries again.
    static func end(_ upstream: Int32) {
        shutdown(upstream, Int32(SHUT_WR))
        while !LoopbackSocket.read(upstream).isEmpty {}
    }

    private static func carry(_ listener: Int32, _ server: Int, _ word: [UInt8], _ moment: Moment) {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let upstream = try? LoopbackSocket.connect(to: server) else {
            close(client)
            return
        }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        defer {
            close(client)
            close(upstream)
        }
        var ends = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
        ends.append(pollfd(fd: upstream, events: Int16(POLLIN), revents: 0))
        while poll(&ends, 2, -1) > 0 {
            if ends[0].revents != 0 {
                let bytes = LoopbackSocket.read(client)
                let hasWord = bytes.count >= word.count && bytes.indices.contains { bytes[$0...].starts(with: word) }
                if bytes.isEmpty { return }
                if hasWord, moment == .beforeTheServer { return end(upstream) }
                LoopbackSocket.write(bytes, to: upstream)
                if hasWord, moment == .beforeTheAnswer { shutdown(client, Int32(SHUT_RDWR)) }
                if hasWord {
                    _ = LoopbackSocket.read(upstream)
                    return end(upstream)
                }
            }
            if ends[1].revents != 0 {
                let bytes = LoopbackSocket.read(upstream)
                if bytes.isEmpty { return }
                LoopbackSocket.write(bytes, to: client)
            }
        }
    }
}
