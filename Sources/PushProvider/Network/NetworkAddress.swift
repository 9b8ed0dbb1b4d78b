/// An address with a port: what a name stands for, and what is connected to.
package struct NetworkAddress: Hashable, Sendable {
    /// Which kind of address it is.
    package enum Family: Hashable, Sendable {
        case ipv4, ipv6
    }

    /// Four, or sixteen.
    package let bytes: [UInt8]
    /// Its port.
    package var port: Int
    /// Of an IPv6 address that holds on one link only (RFC 4007): the number of the interface to it; 0 for any other.
    package var zone: UInt32 = 0

    package var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    package init(ipv4 bytes: (UInt8, UInt8, UInt8, UInt8), port: Int) {
        self.bytes = [bytes.0, bytes.1, bytes.2, bytes.3]
        self.port = port
    }

    /// - Returns: `nil` when it is neither four bytes nor sixteen.
    package init?(bytes: [UInt8], port: Int, zone: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.port = port
        self.zone = bytes.count == 16 ? zone : 0
    }

    /// What is called localhost, without asking anybody (RFC 6761 section 6.3).
    static func ofThisMachine(port: Int) -> [NetworkAddress] {
        let ipv6 = NetworkAddress(bytes: Array(repeating: 0, count: 15) + [1], port: port)
        return [NetworkAddress(ipv4: (127, 0, 0, 1), port: port)] + (ipv6.map { [$0] } ?? [])
    }
}
