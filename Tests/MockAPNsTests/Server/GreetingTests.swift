import Testing

@testable import MockAPNs

@Suite struct GreetingTests {
    static let greetings: [(said: String, is: Greeting)] = [
        ("", .undecided), ("\u{16}\u{3}\u{1}", .tls), ("\u{16}", .tls),
        ("GET / HTTP/1.1\r\n", .http1), ("POST /3/device/ab HTTP/1.0\n", .http1),
        ("CONNECT a:443 HTTP/1.1\r\n", .http1),
        ("G", .undecided), ("GET", .undecided), ("GET / HTTP/1.1", .undecided), ("POST ", .undecided),
        ("P", .undecided), ("PRI * HTTP/2.0", .undecided), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .http2),
        ("PRI * HTTP/2.0\r\n", .http2), ("PRI / HTTP/1.1\r\n", .http1),
        ("SSH-2.0-OpenSSH_9.2\r\n", .other), ("get / HTTP/1.1\r\n", .other), (" GET /\r\n", .other), ("\0", .other),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1\r\n", .other), ("Hello?\r\n", .other),
    ]

    @Test(arguments: greetings)
    func `the first bytes tell what a client speaks`(said: String, is expected: Greeting) {
        #expect(Greeting(Array(said.utf8)) == expected)
    }

    @Test func `a line without an end is not waited for for ever`() {
        #expect(Greeting(Array("GET /\(String(repeating: "a", count: 9000))".utf8)) == .http1)
    }
}
