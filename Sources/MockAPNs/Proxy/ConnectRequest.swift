/// The first bytes of a connection, read as a request to a proxy: `CONNECT api.push.apple.com:443 HTTP/1.1` and its header
/// fields (RFC 9110 section 9.3.6).
enum ConnectRequest: Equatable {
    /// Not known yet: too few bytes.
    case undecided
    /// Something else, for example TLS.
    case other
    /// A complete request. `length` is its size, in bytes; what follows belongs to the tunnel.
    case tunnel(host: String, port: Int, length: Int)
    /// CONNECT, but not as the RFC demands. The text is a clause.
    case malformed(String)

    /// The maximum size of the request, in bytes. A longer one is refused.
    static let longest = 8192
    private static let method = Array("CONNECT ".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    init(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.method) else {
            self = Self.method.starts(with: bytes) ? .undecided : .other
            return
        }
        guard let length = Self.length(of: bytes) else {
            self =
                bytes.count < Self.longest ? .undecided : .malformed("its header is longer than \(Self.longest) bytes")
            return
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else {
            self = .malformed("its first line must be CONNECT HOST:PORT HTTP/1.1")
            return
        }
        guard let (host, port) = Self.authority(parts[1]) else {
            self = .malformed("\(Finding.quote(String(parts[1]))) must be HOST:PORT")
            return
        }
        self = .tunnel(host: host, port: port, length: length)
    }

    /// The number of bytes up to the empty line, which belongs to them; `nil` if it has not come.
    private static func length(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= end.count else { return nil }
        return (end.count...min(bytes.count, longest)).first { bytes[($0 - end.count)..<$0].elementsEqual(end) }
    }

    /// Reads `host:port`, and `[address]:port` for IPv6.
    private static func authority(_ text: Substring) -> (String, Int)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(digits), (1...65_535).contains(port)
        else {
            return nil
        }
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isAddress ? host.dropFirst().dropLast() : host
        let isPlain = name.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@")
        }
        guard !name.isEmpty, isPlain, isAddress || !name.contains(":") else { return nil }
        return (String(name), port)
    }
}
