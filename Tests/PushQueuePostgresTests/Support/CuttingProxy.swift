import Dispatch
import NIOConcurrencyHelpers
import PushPlatform
import TestSupport

/// Stands between a client and a server. It cuts the connection at the first bytes from the client that contain a word.
final class CuttingProxy: Sendable {
    /// When it cuts.
    enum Moment: Sendable {
        /// The server never gets the word.
        case beforeTheServer
        /// The server has answered, but the client does not get the answer.
        case afterTheAnswer
    }

    let port: Int
    private let listener: Int32

    /// Starts a proxy for one connection.
    init(to server: Int, word: String, cuts moment: Moment) throws {
        let listener = socket(AF_INET, Self.stream, 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var (address, size) = (Self.address(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw CannotStart(program: "listen", reason: "errno \(errno)") }
        (self.listener, port) = (listener, Int(UInt16(bigEndian: address.sin_port)))
        let word = Array(word.utf8)
        DispatchQueue.global().async { Self.carry(listener, server, word, moment) }
    }

    deinit { close(listener) }

    private static func carry(_ listener: Int32, _ server: Int, _ word: [UInt8], _ moment: Moment) {
        let client = accept(listener, nil, nil)
        let upstream = socket(AF_INET, stream, 0)
        defer {
            close(client)
            close(upstream)
        }
        for end in [client, upstream] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var address = address(UInt16(server))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(upstream, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard client >= 0, isConnected else { return }
        var ends = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
        ends.append(pollfd(fd: upstream, events: Int16(POLLIN), revents: 0))
        while poll(&ends, 2, 60_000) > 0 {
            if ends[0].revents != 0 {
                let bytes = read(client)
                let hasWord = bytes.count >= word.count && bytes.indices.contains { bytes[$0...].starts(with: word) }
                if bytes.isEmpty || hasWord && moment == .beforeTheServer { return }
                write(bytes, to: upstream)
                if hasWord {
                    _ = read(upstream)
                    return
                }
            }
            if ends[1].revents != 0 {
                let bytes = read(upstream)
                if bytes.isEmpty { return }
                write(bytes, to: client)
            }
        }
    }

    private static func read(_ socket: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = PushPlatform.read(socket, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { PushPlatform.write(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
}
