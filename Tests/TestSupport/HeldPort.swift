import NIOConcurrencyHelpers
import PushPlatform

/// A port that is taken and on which nobody listens: who connects to it is refused, or never hears of it again.
package final class HeldPort: Sendable {
    package let number: Int

    private let descriptor: NIOLockedValueBox<Int32?>

    /// Connections that fill the queue of a port that swallows: the kernel passes over those behind them.
    private let fillers: [Int32]

    package init(swallows: Bool = false) throws {
        #if os(Linux)
            // A process that another test starts must not keep the port. O_CLOEXEC has the value of SOCK_CLOEXEC.
            let stream = streamSocket | O_CLOEXEC
        #else
            let stream = streamSocket
        #endif
        let socket = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var isBound = false
        // Not one that the system gives away by itself: whoever listens on it later must find it free.
        for _ in 0..<100 where !isBound {
            address.sin_port = UInt16.random(in: 20_000...32_000).bigEndian
            isBound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        descriptor = NIOLockedValueBox(socket)
        number = Int(UInt16(bigEndian: address.sin_port))
        guard socket >= 0, isBound, !swallows || listen(socket, 0) == 0 else { throw NoPort(code: errno) }
        fillers = swallows ? (0..<4).map { _ in Self.knock(address, stream) } : []
    }

    private static func knock(_ address: sockaddr_in, _ stream: Int32) -> Int32 {
        let knocking = socket(AF_INET, stream, 0)
        _ = fcntl(knocking, F_SETFL, O_NONBLOCK)
        var address = address
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(knocking, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return knocking
    }

    package struct NoPort: Error {
        var code: Int32
    }

    /// Somebody else can listen on it now.
    package func letGo() {
        descriptor.withLockedValue { descriptor in
            guard let open = descriptor else { return }
            for filler in fillers { close(filler) }
            close(open)
            descriptor = nil
        }
    }

    deinit {
        letGo()
    }
}
