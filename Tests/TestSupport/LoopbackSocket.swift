import PushPlatform

/// Sockets of this machine that wait.
package enum LoopbackSocket {
    /// Listens on a free port.
    package static func listen() throws -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, streamSocket, 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var (address, size) = (address(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && PushPlatform.listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw CannotStart(program: "listen", reason: "errno \(errno)") }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    package static func connect(to port: Int) throws -> Int32 {
        let upstream = socket(AF_INET, streamSocket, 0)
        _ = fcntl(upstream, F_SETFD, FD_CLOEXEC)
        var address = address(UInt16(port))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                PushPlatform.connect(upstream, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(upstream)
            throw CannotStart(program: "connect", reason: "errno \(errno)")
        }
        return upstream
    }

    /// What has arrived; empty at the end.
    package static func read(_ socket: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = PushPlatform.read(socket, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    package static func write(_ bytes: [UInt8], to socket: Int32) {
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
}
