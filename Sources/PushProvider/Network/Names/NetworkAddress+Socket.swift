internal import NIOCore
import PushPlatform

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
