/// The protocol of a client, by the first bytes that it sends.
enum Greeting: Equatable {
    case tls
    case http1
    case http2
    case other
    /// Not known yet: too few bytes.
    case undecided

    private static let preface = Array("PRI * HTTP/2.0\r\n".utf8)
    /// The maximum length of an HTTP/1 request line, in bytes. A longer one is answered before it ends.
    private static let longestLine = 8192
    /// The maximum length of an HTTP/1 method, in bytes. Longer words are not HTTP/1.
    private static let longestMethod = 16

    init(_ bytes: some Collection<UInt8>) {
        guard let first = bytes.first else {
            self = .undecided
            return
        }
        // A TLS handshake record (RFC 8446 section 5.1).
        if first == 0x16 {
            self = .tls
        } else if bytes.starts(with: Self.preface) {
            self = .http2
        } else if Self.preface.starts(with: bytes) {
            self = .undecided
        } else {
            self = Self.request(bytes)
        }
    }

    /// Recognises an HTTP/1 request line: a method in capital letters, a space, and the rest of the line.
    private static func request(_ bytes: some Collection<UInt8>) -> Greeting {
        let method = bytes.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard !method.isEmpty, method.count <= longestMethod else { return .other }
        let rest = bytes.dropFirst(method.count)
        guard let next = rest.first else { return .undecided }
        guard next == UInt8(ascii: " ") else { return .other }
        return rest.contains(UInt8(ascii: "\n")) || bytes.count >= longestLine ? .http1 : .undecided
    }
}
