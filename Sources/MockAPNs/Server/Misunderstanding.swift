/// A client that does not speak HTTP/2 inside TLS, and what it is told, in words that it can read.
enum Misunderstanding: Equatable, Sendable {
    /// HTTP/1 without TLS.
    case http1WithoutTLS
    /// HTTP/2 without TLS.
    case http2WithoutTLS
    /// HTTP/1 inside TLS.
    case http1
    /// Something else inside TLS, or nothing, without having offered HTTP/2.
    case other

    /// What the client did, for the log.
    var deed: String {
        switch self {
        case .http1WithoutTLS: "the client spoke HTTP/1 without TLS"
        case .http2WithoutTLS: "the client spoke HTTP/2 without TLS"
        case .http1: "the client spoke HTTP/1"
        case .other:
            "the client did not offer HTTP/2 in the TLS handshake (ALPN \"h2\"), nor did it begin with the preface of HTTP/2"
        }
    }

    /// What to do, as a clause.
    func remedy(_ remedyText: (MockRemedy) -> String) -> String {
        switch self {
        case .http1WithoutTLS, .http2WithoutTLS: "use https:// and let it trust the mock's CA"
        case .http1: remedyText(.useHTTP2)
        case .other: "let it offer \"h2\" there"
        }
    }

    /// What is wrong and what to do, for the client.
    private func message(_ remedyText: (MockRemedy) -> String) -> String {
        """
        This is a mock of APNs: like Apple's servers it speaks HTTP/2 inside TLS, and nothing else. \
        But \(deed): \(remedy(remedyText)).
        """
    }

    /// What the client is sent.
    func answer(_ remedyText: (MockRemedy) -> String) -> [UInt8] {
        let message = message(remedyText)
        return switch self {
        case .http1WithoutTLS: Array(http1Answer("400 Bad Request", message).utf8)
        case .http1: Array(http1Answer("505 HTTP Version Not Supported", message).utf8)
        case .http2WithoutTLS: goAway(.inadequateSecurity, message)
        case .other: Array("\(message)\r\n".utf8)
        }
    }

    private func http1Answer(_ status: String, _ message: String) -> String {
        """
        HTTP/1.1 \(status)\r
        content-type: text/plain; charset=utf-8\r
        content-length: \(message.utf8.count + 1)\r
        connection: close\r
        \r
        \(message)

        """
    }

    /// SETTINGS without an entry, with which a server must begin, and GOAWAY (RFC 9113 sections 3.4 and 6.8).
    private func goAway(_ code: HTTP2Code, _ message: String) -> [UInt8] {
        let text = Array(message.utf8)
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let length = UInt32(8 + text.count)
        let header = [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        let rest: [UInt8] = [UInt8(truncatingIfNeeded: length), 7, 0, 0, 0, 0, 0]
        let body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: code.rawValue)]
        return settings + header + rest + body + text
    }
}
