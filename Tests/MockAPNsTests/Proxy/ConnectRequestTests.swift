import Testing

@testable import MockAPNs

@Suite struct ConnectRequestTests {
    @Test(arguments: [
        ("CONNECT api.push.apple.com:443 HTTP/1.1\r\n\r\n", "api.push.apple.com", 443),
        ("CONNECT api.push.apple.com:2197 HTTP/1.0\r\nHost: x\r\nUser-Agent: y\r\n\r\n", "api.push.apple.com", 2197),
        ("CONNECT [::1]:8443 HTTP/1.1\r\n\r\n", "::1", 8443),
    ])
    func `a request names host and port`(text: String, host: String, port: Int) {
        let bytes = Array(text.utf8)
        #expect(ConnectRequest(bytes + [0x16, 3, 1]) == .tunnel(host: host, port: port, length: bytes.count))
    }

    @Test func `every beginning of a request is undecided`() {
        let bytes = Array("CONNECT api.push.apple.com:443 HTTP/1.1\r\nHost: api.push.apple.com\r\n\r\n".utf8)
        for count in 0..<bytes.count { #expect(ConnectRequest(Array(bytes[..<count])) == .undecided) }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n", "CONNECTED x",
        "connect a:1 HTTP/1.1\r\n\r\n",
    ])
    func `other bytes are not a request to a proxy`(text: String) {
        #expect(ConnectRequest(Array(text.utf8)) == .other)
    }

    @Test(arguments: [
        "CONNECT api.push.apple.com HTTP/1.1\r\n\r\n", "CONNECT api.push.apple.com:0 HTTP/1.1\r\n\r\n",
        "CONNECT api.push.apple.com:65536 HTTP/1.1\r\n\r\n", "CONNECT :443 HTTP/1.1\r\n\r\n",
        "CONNECT a:+1 HTTP/1.1\r\n\r\n",
        "CONNECT ::1:443 HTTP/1.1\r\n\r\n", "CONNECT https://api.push.apple.com:443 HTTP/1.1\r\n\r\n",
        "CONNECT u@h:443 HTTP/1.1\r\n\r\n", "CONNECT h:443 HTTP/2\r\n\r\n", "CONNECT h:443\r\n\r\n",
        "CONNECT h\u{7}:443 HTTP/1.1\r\n\r\n",
    ])
    func `what is not host and port is malformed`(text: String) {
        guard case .malformed = ConnectRequest(Array(text.utf8)) else {
            Issue.record("\(text.debugDescription) is accepted")
            return
        }
    }

    @Test func `a request that never ends is malformed`() {
        let long =
            Array("CONNECT h:443 HTTP/1.1\r\n".utf8)
            + Array(repeating: UInt8(ascii: "x"), count: ConnectRequest.longest)
        guard case .malformed(let why) = ConnectRequest(long) else {
            Issue.record("it is accepted")
            return
        }
        #expect(why.contains("8192"))
    }
}
