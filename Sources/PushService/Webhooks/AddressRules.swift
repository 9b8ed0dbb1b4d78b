internal import NIOCore
internal import PushPlatform

/// Which addresses are public. A webhook must not reach into the network of the service.
enum AddressRules {
    /// Whether an address is one of the public internet: not loopback, link-local, private, or reserved.
    static func isPublic(_ address: SocketAddress) -> Bool {
        switch address {
        case .v4, .v6: address.ipAddress.map(isPublic(text:)) ?? false
        case .unixDomainSocket: false
        }
    }

    private static func isPublic(text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return isPublic(v4: Array(bytes.prefix(4))) }
        if inet_pton(AF_INET6, text, &bytes) == 1 { return isPublic(v6: bytes) }
        return false
    }

    /// RFC 6890 and the registry that follows it.
    static func isPublic(v4 bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _): return false
        case (100, 64...127, _): return false
        case (169, 254, _): return false
        case (172, 16...31, _): return false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (192, 168, _): return false
        case (198, 18...19, _), (198, 51, 100), (203, 0, 113): return false
        case (224...255, _, _): return false
        default: return true
        }
    }

    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        // An address of version 4 in one of version 6: mapped, translated (RFC 6052), or 6to4.
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return isPublic(v4: Array(bytes[12...])) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return isPublic(v4: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic(v4: Array(bytes[2..<6])) }
        // Teredo, benchmarks, documentation.
        for reserved: [UInt8] in [[0x20, 0x01, 0, 0], [0x20, 0x01, 0, 2], [0x20, 0x01, 0x0D, 0xB8], [0x3F, 0xFF]]
        where bytes.starts(with: reserved) {
            return false
        }
        // Only 2000::/3 is given out as global unicast.
        return bytes[0] & 0xE0 == 0x20
    }
}
