internal import PushPlatform

/// The hosts to reach without a proxy: the value of `NO_PROXY`, parsed like curl.
///
/// The entries are separated by commas or spaces. An entry is a name (with or without a leading dot; it includes all
/// subdomains), an address, or a network such as `10.0.0.0/8`. A single star means all hosts. Unlike curl, an entry may
/// have a port; then it applies to that port only.
struct NoProxyList {
    private let isForAll: Bool
    private let entries: [Substring]

    init(_ text: String) {
        isForAll = text == "*"
        entries = text.split { $0 == "," || $0 == " " || $0 == "\t" }
    }

    func contains(host: String, port: Int) -> Bool {
        if isForAll { return true }
        if let address = NetworkAddress(literal: host, port: 0) {
            return entries.contains { Self.holds(Self.plain($0, port: port), for: address) }
        }
        let name = Self.withoutDot(host[...]).lowercased()
        return entries.contains { Self.holds(Self.plain($0, port: port), for: name) }
    }

    /// The entry without its port and brackets; empty if the entry has another port.
    private static func plain(_ entry: Substring, port: Int) -> Substring {
        // Several colons without brackets are an IPv6 address.
        guard let parts = try? HostAndPort(entry) else { return entry }
        return parts.port == nil || parts.port == "\(port)" ? parts.host : ""
    }

    private static func withoutDot(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }

    private static func holds(_ entry: Substring, for name: String) -> Bool {
        var entry = withoutDot(entry)
        if entry.hasPrefix(".") { entry = entry.dropFirst() }
        guard !entry.isEmpty else { return false }
        let suffix = entry.lowercased()
        return name == suffix || name.hasSuffix(".\(suffix)")
    }

    private static func holds(_ entry: Substring, for address: NetworkAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let network = NetworkAddress(literal: String(first), port: 0),
            network.family == address.family
        else { return false }
        let all = network.bytes.count * 8
        guard parts.count == 2 else { return network.bytes == address.bytes }
        // Like curl, zero bits mean the whole address.
        guard let bits = Int(parts[1]), (0...all).contains(bits) else { return false }
        let count = bits == 0 ? all : bits
        return zip(network.bytes, address.bytes).enumerated().allSatisfy { index, pair in
            let compared = min(8, max(0, count - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> compared)
            return pair.0 & mask == pair.1 & mask
        }
    }
}
