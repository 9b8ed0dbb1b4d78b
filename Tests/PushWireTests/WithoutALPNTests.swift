import PushWire
import TestSupport
import Testing

/// HTTP/2 between two sides that have not agreed on it by ALPN.
@Suite struct WithoutALPNTests {
    private static func pair() throws -> WirePair {
        let pair = try WirePair(certificate: ServerCertificate(), speaksHTTP2: false, requiresALPN: false)
        try pair.client.start()
        return pair
    }

    @Test(arguments: [1, 7, .max])
    func `a client that needs no agreement is served`(bytesAtATime: Int) throws {
        let pair = try Self.pair()
        try pair.exchange(bytesAtATime: bytesAtATime)
        #expect(!pair.server.tls.agreedOnHTTP2)
        #expect(pair.server.speaksHTTP2)
        let id = try pair.client.open(body: Array("{}".utf8), tag: 1)
        try pair.exchange(bytesAtATime: bytesAtATime)
        let requests = pair.server.takeEvents().compactMap { if case .requestReceived(let it) = $0 { it } else { nil } }
        #expect(requests.map(\.streamID) == [id])
        #expect(pair.server.otherBytes.isEmpty)
    }

    @Test func `the server hears of HTTP/2 with the whole preface, in however many records it comes`() throws {
        let pair = try Self.pair()
        var prefaces = 0
        pair.server.whenPrefaceCame = { prefaces += 1 }
        try Self.establish(pair)
        for byte in HTTP2OverTLS.preface.dropLast() { try Self.say([byte], pair) }
        #expect(!pair.server.speaksHTTP2)
        #expect(prefaces == 0)
        try Self.say([HTTP2OverTLS.preface[23]] + Frame.emptySettings.bytes, pair)
        #expect(pair.server.speaksHTTP2)
        #expect(prefaces == 1)
        #expect(pair.server.http2.peerSettings != nil)
    }

    @Test func `what comes with the preface waits while HTTP/2 is held`() throws {
        let pair = try Self.pair()
        pair.server.whenPrefaceCame = { pair.server.holdsHTTP2 = true }
        try Self.establish(pair)
        try Self.say(HTTP2OverTLS.preface + Frame.emptySettings.bytes, pair)
        #expect(pair.server.http2.peerSettings == nil)
        try pair.server.releaseHTTP2()
        #expect(pair.server.http2.peerSettings != nil)
    }

    @Test func `something else is kept and not heard`() throws {
        let pair = try Self.pair()
        try Self.establish(pair)
        try Self.say(Array("PRI * HTTP/2.0\r\nhost: a\r\n\r\n".utf8), pair)
        #expect(!pair.server.speaksHTTP2)
        #expect(pair.server.otherBytes.starts(with: "PRI *".utf8))
    }

    /// The handshake to its end, and not a byte of HTTP/2.
    private static func establish(_ pair: WirePair) throws {
        while !pair.client.tls.isEstablished || !pair.server.tls.isEstablished {
            pair.server.tls.receive(pair.client.tls.takeCiphertext())
            try pair.server.tls.handshake()
            pair.client.tls.receive(pair.server.tls.takeCiphertext())
            try pair.client.tls.handshake()
        }
        pair.server.tls.receive(pair.client.tls.takeCiphertext())
    }

    private static func say(_ bytes: [UInt8], _ pair: WirePair) throws {
        try pair.client.tls.seal(bytes)
        try pair.server.receive(pair.client.tls.takeCiphertext())
    }
}
