internal import NIOCore
import PushPlatform

package struct NetworkAddress: Hashable, Sendable {
    package enum Family: Hashable, Sendable {
        case ipv4, ipv6
    }

    /// Four bytes, or sixteen.
    package let bytes: [UInt8]
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

extension NetworkAddress {
    /// Parses an address: `127.0.0.1`, `::1`, `fe80::1%eth0`; `nil` for a name.
    init?(literal: String, port: Int) {
        let parts = literal.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(parts.first ?? "")
        let family: Family = text.contains(":") ? .ipv6 : .ipv4
        var bytes = [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16)
        guard inet_pton(family == .ipv4 ? AF_INET : AF_INET6, text, &bytes) == 1 else { return nil }
        var zone: UInt32 = 0
        if parts.count == 2 {
            zone = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            guard zone != 0, family == .ipv6 else { return nil }
        }
        self.init(bytes: bytes, port: port, zone: zone)
    }

    /// An address from a lookup by the system; `nil` for another family.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t, port: Int) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        self.init(literal: text.text, port: port)
    }
}

extension NetworkAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return family == .ipv4 ? "\(text.text):\(port)" : "[\(text.text)\(zone == 0 ? "" : "%\(zone)")]:\(port)"
    }
}

extension [CChar] {
    /// The text up to the terminating zero.
    fileprivate var text: String { String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
