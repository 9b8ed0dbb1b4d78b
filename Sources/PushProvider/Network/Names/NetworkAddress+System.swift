import PushPlatform

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
    /// Address and port.
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
