/// What the first bytes of a client say that it speaks.
enum Greeting: Equatable {
    /// TLS, as everybody should.
    case tls
    /// A request of HTTP/1.
    case http1
    /// The preface of HTTP/2.
    case http2
    /// Something else.
    case other
    /// There is too little of it to know.
    case undecided

    private static let preface = Array("PRI * HTTP/2.0\r\n".utf8)
    /// A request line that has not ended by then is answered as it is.
    private static let longestLine = 8192
    private static let longestMethod = 16

    init(_ bytes: some Collection<UInt8>) {
        guard let first = bytes.first else {
            self = .undecided
            return
        }
        // A record of the handshake (RFC 8446 section 5.1).
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

    /// A method in capital letters, a space, and a line.
    private static func request(_ bytes: some Collection<UInt8>) -> Greeting {
        let method = bytes.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard !method.isEmpty, method.count <= longestMethod else { return .other }
        let rest = bytes.dropFirst(method.count)
        guard let next = rest.first else { return .undecided }
        guard next == UInt8(ascii: " ") else { return .other }
        return rest.contains(UInt8(ascii: "\n")) || bytes.count >= longestLine ? .http1 : .undecided
    }
}
