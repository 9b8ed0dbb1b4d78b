/// A client that does not use HTTP/2 over TLS, and the answer to it, in the client's protocol.
enum WrongProtocol: Equatable, Sendable {
    case http1WithoutTLS
    case http2WithoutTLS
    /// HTTP/1 over TLS.
    case http1
    /// Something else over TLS, or nothing, and HTTP/2 was not offered by ALPN.
    case other

    /// What the client did, for the log.
    var clientAction: String {
        switch self {
        case .http1WithoutTLS: "the client used HTTP/1 without TLS"
        case .http2WithoutTLS: "the client used HTTP/2 without TLS"
        case .http1: "the client used HTTP/1"
        case .other:
            "the client didn't offer HTTP/2 in the TLS handshake (ALPN \"h2\") and didn't send the HTTP/2 preface"
        }
    }

    /// What to do, as a clause.
    func remedy(_ remedyText: (MockRemedy) -> String) -> String {
        switch self {
        case .http1WithoutTLS, .http2WithoutTLS: "use https:// and trust the mock's CA"
        case .http1: remedyText(.useHTTP2)
        case .other: "offer \"h2\" by ALPN"
        }
    }

    /// What is wrong and what to do, for the client.
    private func message(_ remedyText: (MockRemedy) -> String) -> String {
        """
        This is a mock of APNs. Like Apple's servers, it supports only HTTP/2 over TLS, \
        but \(clientAction): \(remedy(remedyText)).
        """
    }

    /// The bytes to send to the client.
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

    /// An empty SETTINGS frame, which a server must send first, and GOAWAY (RFC 9113 sections 3.4 and 6.8).
    private func goAway(_ code: MockHTTP2Code, _ message: String) -> [UInt8] {
        let text = Array(message.utf8)
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let length = UInt32(8 + text.count)
        let header = [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        let rest: [UInt8] = [UInt8(truncatingIfNeeded: length), 7, 0, 0, 0, 0, 0]
        let body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: code.rawValue)]
        return settings + header + rest + body + text
    }
}
