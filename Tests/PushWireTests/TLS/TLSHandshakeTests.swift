import PushWire
import Testing

@Suite struct TLSHandshakeTests {
    @Test func `client and server agree on TLS 1.3 and HTTP/2`() throws {
        let pair = try TLSPair(certificate: ServerCertificate())
        #expect(!pair.client.isEstablished)
        #expect(!pair.server.isEstablished)
        try pair.handshake()
        #expect(pair.client.isEstablished)
        #expect(pair.server.isEstablished)
        #expect(pair.client.version == "TLSv1.3")
        #expect(pair.server.version == "TLSv1.3")
    }

    @Test func `a handshake in pieces of one byte comes to its end`() throws {
        let pair = try TLSPair(certificate: ServerCertificate())
        try pair.client.handshake()
        while !pair.server.isEstablished {
            for byte in pair.client.takeCiphertext() {
                pair.server.receive([byte])
                try pair.server.handshake()
            }
            for byte in pair.server.takeCiphertext() {
                pair.client.receive([byte])
                try pair.client.handshake()
            }
        }
        #expect(pair.client.isEstablished)
    }

    // MARK: Whom a client believes

    @Test(arguments: [
        (["localhost"], "localhost"), (["localhost"], "LOCALHOST"), (["127.0.0.1"], "127.0.0.1"), (["::1"], "::1"),
        (["::1"], "0:0:0:0:0:0:0:1"), (["*.example.com"], "api.example.com"),
        (["a.example.com", "b.example.com"], "b.example.com"),
    ])
    func `a certificate that names the host is accepted`(names: [String], host: String) throws {
        let pair = try TLSPair(hostName: host, certificate: ServerCertificate(names: names))
        try pair.handshake()
        #expect(pair.client.isEstablished)
    }

    @Test(arguments: [
        (["localhost"], "example.com"), (["localhost"], "127.0.0.1"), (["127.0.0.1"], "127.0.0.2"),
        (["127.0.0.1"], "::1"), (["127.0.0.1"], "localhost"), (["*.example.com"], "example.com"),
        (["*.example.com"], "a.b.example.com"), (["example.com"], "api.example.com"),
    ])
    func `a certificate for another host is refused by name`(names: [String], host: String) throws {
        let pair = try TLSPair(hostName: host, certificate: ServerCertificate(names: names))
        let error = try #require(throws: TLSError.self) { try pair.handshake() }
        #expect(error == TLSError(.wrongHostName, "the server's certificate isn't for \(host)"))
        #expect(!pair.client.isEstablished)
    }

    @Test(arguments: ["", "no name.example", "a..b"])
    func `a client without a proper host name to check does not begin, or is refused`(name: String) throws {
        let certificate = try ServerCertificate()
        let error = try #require(throws: TLSError.self) {
            try TLSPair(hostName: name, certificate: certificate).handshake()
        }
        #expect(error.code == .wrongHostName)
    }

    @Test func `a certificate of an unknown authority is refused, and the server hears why`() throws {
        let certificate = try ServerCertificate()
        let stranger = try ServerCertificate()
        let pair = try TLSPair(client: stranger.clientSession(), server: certificate.serverSession())
        let error = try #require(throws: TLSError.self) { try pair.handshake() }
        #expect(error.code == .untrustedAuthority)
        let words = "the certificate of localhost comes from an authority that isn't trusted here ("
        #expect(error.detail.hasPrefix(words))
        #expect(!pair.client.isEstablished)
        #expect(throws: TLSError.self) { try pair.client.seal([1]) }

        pair.server.receive(pair.client.takeCiphertext())
        let heard = try #require(throws: TLSError.self) { try pair.server.handshake() }
        #expect(heard.code == .ownCertificateRefused)
        #expect(heard.detail.contains("unknown ca"))
        #expect(!pair.server.isEstablished)
    }

    @Test(arguments: [
        (ServerCertificate.year2023, "expired"), (ServerCertificate.year2100, "not yet valid"),
    ])
    func `a certificate that is not in force is refused`(start: Int64, words: String) throws {
        let pair = try TLSPair(certificate: ServerCertificate(validDays: 1, from: start))
        let error = try #require(throws: TLSError.self) { try pair.handshake() }
        #expect(error.code == .certificateNotInForce)
        #expect(error.detail.contains(words))
        #expect(error.detail.contains("localhost"))
    }

    // MARK: Peers that speak something else

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example.com ESMTP\r\n",
        "\0\0\u{12}\u{4}\0\0\0\0\0",
    ])
    func `a server that does not speak TLS is recognised`(answer: String) throws {
        let client = try ServerCertificate().clientSession()
        try client.handshake()
        client.receive(Array(answer.utf8))
        let error = try #require(throws: TLSError.self) { try client.handshake() }
        #expect(error.code == .notTLS)
        #expect(error.detail.hasPrefix("the other side doesn't speak TLS"))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "POST /3/device/ab HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func `a client that does not speak TLS is recognised`(request: String) throws {
        let server = try ServerCertificate().serverSession()
        server.receive(Array(request.utf8))
        let error = try #require(throws: TLSError.self) { try server.handshake() }
        #expect(error.code == .notTLS)
    }

    @Test func `an answer too short to judge is waited for`() throws {
        let client = try ServerCertificate().clientSession()
        try client.handshake()
        client.receive(Array("HTTP".utf8))
        try client.handshake()
        #expect(!client.isEstablished)
    }

    @Test func `a client of TLS 1.1 is refused and one of TLS 1.2 is not`() throws {
        let certificate = try ServerCertificate()
        let server = try certificate.serverSession()
        server.receive(HandmadeHello.client(version: 0x0302, offering: "h2"))
        #expect(throws: TLSError.self) { try server.handshake() }
        let alerts = try #require(TLSRecord.read(server.takeCiphertext()))
        // protocol_version (RFC 8446 section 6.2)
        #expect(alerts.map(\.content) == [[2, 70]])

        let another = try certificate.serverSession()
        another.receive(HandmadeHello.client(version: 0x0303, offering: "h2"))
        try another.handshake()
        #expect(another.version == "TLSv1.2")
        #expect(try #require(TLSRecord.read(another.takeCiphertext())).allSatisfy { $0.type == TLSRecord.handshake })
    }

    @Test func `a server of TLS 1.1 is refused and one of TLS 1.2 is not`() throws {
        let certificate = try ServerCertificate()
        for (version, refused) in [(0x0302, true), (0x0303, false)] as [(UInt16, Bool)] {
            let client = try certificate.clientSession()
            try client.handshake()
            _ = client.takeCiphertext()
            client.receive(HandmadeHello.server(version: version))
            if refused { #expect(throws: TLSError.self) { try client.handshake() } } else { try client.handshake() }
            let alerts = try #require(TLSRecord.read(client.takeCiphertext()))
            #expect(alerts.map(\.content) == (refused ? [[2, 70]] : []))
        }
    }

    // MARK: ALPN

    @Test func `a server that agrees on no protocol is refused by the client`() throws {
        let certificate = try ServerCertificate()
        let pair = try TLSPair(
            client: certificate.clientSession(), server: certificate.serverSession(speaksHTTP2: false))
        let error = try #require(throws: TLSError.self) { try pair.handshake() }
        #expect(error.code == .noHTTP2)
        #expect(!pair.client.isEstablished)
        #expect(throws: TLSError.self) { try pair.client.handshake() }
        #expect(!pair.client.isEstablished)
    }

    @Test func `a server that refuses the protocol by an alert is reported as one without HTTP/2`() throws {
        let client = try ServerCertificate().clientSession()
        try client.handshake()
        client.receive(HandmadeHello.alert(120))
        let error = try #require(throws: TLSError.self) { try client.handshake() }
        #expect(error.code == .noHTTP2)
    }

    @Test func `any other alert is reported in its words`() throws {
        let client = try ServerCertificate().clientSession()
        try client.handshake()
        client.receive(HandmadeHello.alert(40))
        let error = try #require(throws: TLSError.self) { try client.handshake() }
        #expect(error.code == .alertReceived)
        #expect(error.detail.contains("handshake failure"))
    }

    @Test(arguments: ["http/1.1", "h", "h2c", "h3", "xh2"])
    func `a client that does not offer HTTP/2 is refused by the server`(offer: String) throws {
        let server = try ServerCertificate().serverSession()
        server.receive(HandmadeHello.client(version: 0x0303, offering: offer))
        let error = try #require(throws: TLSError.self) { try server.handshake() }
        #expect(error.code == .noHTTP2)
        // no_application_protocol (RFC 7301 section 3.2)
        #expect(TLSRecord.read(server.takeCiphertext())?.map(\.content) == [[2, 120]])
    }

    @Test(arguments: ["http/1.1", "h", "h3"])
    func `a server that accepts other protocols too refuses no client by an alert`(offer: String) throws {
        let server = try ServerCertificate().serverSession(acceptsOthers: true)
        server.receive(HandmadeHello.client(version: 0x0303, offering: offer))
        try server.handshake()
        #expect(!server.agreedOnHTTP2)
        #expect(
            try #require(TLSRecord.read(server.takeCiphertext())).allSatisfy { $0.type == TLSRecord.handshake })
    }

    @Test func `a server that takes others too agrees on HTTP/2 with those that offer it`() throws {
        let certificate = try ServerCertificate()
        let pair = try TLSPair(
            client: certificate.clientSession(), server: certificate.serverSession(acceptsOthers: true))
        try pair.handshake()
        #expect(pair.client.agreedOnHTTP2)
        #expect(pair.server.agreedOnHTTP2)
    }
}
