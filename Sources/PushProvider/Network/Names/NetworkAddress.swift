internal import NIOCore
import PushPlatform

/// An IP address with a port.
package struct NetworkAddress: Hashable, Sendable {
    /// The address family.
    package enum Family: Hashable, Sendable {
        case ipv4, ipv6
    }

    /// Four bytes, or sixteen.
    package let bytes: [UInt8]
    /// The port.
    package var port: Int
    /// The index of the network interface for a link-local IPv6 address (RFC 4007); 0 for any other address.
    package var zone: UInt32 = 0

    package var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    package init(ipv4 bytes: (UInt8, UInt8, UInt8, UInt8), port: Int) {
        self.bytes = [bytes.0, bytes.1, bytes.2, bytes.3]
        self.port = port
    }

    /// - Returns: `nil` if there are neither four bytes nor sixteen.
    package init?(bytes: [UInt8], port: Int, zone: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.port = port
        self.zone = bytes.count == 16 ? zone : 0
    }

    /// The addresses of `localhost`, without a lookup (RFC 6761 section 6.3).
    static func ofThisMachine(port: Int) -> [NetworkAddress] {
        let ipv6 = NetworkAddress(bytes: Array(repeating: 0, count: 15) + [1], port: port)
        return [NetworkAddress(ipv4: (127, 0, 0, 1), port: port)] + (ipv6.map { [$0] } ?? [])
    }
}

extension NetworkAddress {
    /// The address in NIO's form.
    var socketAddress: SocketAddress {
        get throws {
            let address = try SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: port)
            return zone == 0 ? address : try inZone(address)
        }
    }

    /// Adds the zone with the help of the system, because NIO does not support zones.
    private func inZone(_ address: SocketAddress) throws -> SocketAddress {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo("\(address.ipAddress ?? "")%\(zone)", "\(port)", &hints, &list) == 0 else { return address }
        defer { freeaddrinfo(list) }
        guard let found = list?.pointee.ai_addr else { return address }
        return SocketAddress(UnsafeRawPointer(found).load(as: sockaddr_in6.self))
    }
}
