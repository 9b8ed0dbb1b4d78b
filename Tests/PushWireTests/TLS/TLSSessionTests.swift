import PushWire
import Testing

@Suite struct TLSSessionTests {
    @Test func `plaintext arrives as it was sealed, both ways`() throws {
        let pair = try TLSPair.established()
        try pair.client.seal(Array("ping".utf8))
        let ciphertext = pair.client.takeCiphertext()
        #expect(!ciphertext.contains(Array("ping".utf8)))
        pair.server.receive(ciphertext)
        #expect(try pair.server.readAll() == Array("ping".utf8))
        try pair.server.seal(Array("pong".utf8))
        pair.client.receive(pair.server.takeCiphertext())
        #expect(try pair.client.readAll() == Array("pong".utf8))
    }

    @Test(arguments: [1, 2, 100, 16383, 16384])
    func `what is sealed at once is exactly one record`(count: Int) throws {
        let pair = try TLSPair.established()
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
        try pair.client.seal(plaintext)
        let ciphertext = pair.client.takeCiphertext()
        let records = try #require(TLSRecord.read(ciphertext))
        #expect(records.map(\.type) == [TLSRecord.applicationData])
        pair.server.receive(ciphertext)
        #expect(try pair.server.readAll() == plaintext)
    }

    @Test func `a record is read only when all of it has come`() throws {
        let pair = try TLSPair.established()
        try pair.client.seal([1, 2, 3])
        let ciphertext = pair.client.takeCiphertext()
        for byte in ciphertext.dropLast() {
            pair.server.receive([byte])
            #expect(try pair.server.readAll().isEmpty)
        }
        pair.server.receive([ciphertext[ciphertext.count - 1]])
        #expect(try pair.server.readAll() == [1, 2, 3])
    }

    @Test func `the count of ciphertext is the count of bytes handed out`() throws {
        let pair = try TLSPair(certificate: ServerCertificate())
        var fromClient = 0
        var fromServer = 0
        while !pair.client.isEstablished || !pair.server.isEstablished {
            try pair.client.handshake()
            fromClient += move(from: pair.client, to: pair.server)
            try pair.server.handshake()
            fromServer += move(from: pair.server, to: pair.client)
        }
        #expect(pair.client.ciphertextCount == UInt64(fromClient))
        #expect(pair.server.ciphertextCount == UInt64(fromServer))
        #expect(fromClient > 100 && fromServer > 100)

        // Several records may wait and be taken together.
        for size in [1, 500, 16384] { try pair.client.seal([UInt8](repeating: 0, count: size)) }
        #expect(pair.client.hasCiphertext)
        fromClient += move(from: pair.client, to: pair.server)
        #expect(!pair.client.hasCiphertext)
        #expect(pair.client.takeCiphertext().isEmpty)
        pair.client.close()
        #expect(pair.client.hasCiphertext)
        fromClient += move(from: pair.client, to: pair.server)
        #expect(pair.client.ciphertextCount == UInt64(fromClient))
        #expect(try pair.server.readAll().count == 1 + 500 + 16384)
        #expect(pair.server.ciphertextCount == UInt64(fromServer))
    }

    private func move(from sender: TLSSession, to receiver: TLSSession) -> Int {
        let bytes = sender.takeCiphertext()
        receiver.receive(bytes)
        return bytes.count
    }

    @Test func `each side learns that the other sends no more, after all that was sent before`() throws {
        let pair = try TLSPair.established()
        try pair.client.seal([1])
        pair.client.close()
        pair.server.receive(pair.client.takeCiphertext())
        #expect(!pair.server.isClosedByPeer)
        #expect(try pair.server.readAll() == [1])
        #expect(pair.server.isClosedByPeer)

        // The other direction is still open.
        #expect(!pair.client.isClosedByPeer)
        try pair.server.seal([2])
        pair.server.close()
        pair.client.receive(pair.server.takeCiphertext())
        #expect(try pair.client.readAll() == [2])
        #expect(pair.client.isClosedByPeer)
    }

    @Test func `nothing is sealed before the handshake or after the end`() throws {
        let pair = try TLSPair(certificate: ServerCertificate())
        try pair.client.handshake()
        #expect(throws: TLSError.self) { try pair.client.seal([1]) }
        try pair.handshake()
        try pair.client.seal([1])
        pair.client.close()
        #expect(throws: TLSError.self) { try pair.client.seal([2]) }
        pair.server.receive(pair.client.takeCiphertext())
        #expect(try pair.server.readAll() == [1])
    }

    @Test func `a record that was changed on its way breaks the connection and gives no plaintext`() throws {
        let pair = try TLSPair.established()
        try pair.client.seal([1, 2, 3])
        var ciphertext = pair.client.takeCiphertext()
        ciphertext[ciphertext.count - 1] ^= 1
        pair.server.receive(ciphertext)
        let error = try #require(throws: TLSError.self) { try pair.server.readAll() }
        #expect(error.code == .failed)
        #expect(error.detail.hasPrefix("the TLS connection failed ("))
        #expect(pair.server.hasCiphertext)
        pair.client.receive(pair.server.takeCiphertext())
        let heard = try #require(throws: TLSError.self) { try pair.client.readAll() }
        #expect(heard.code == .alertReceived)
    }

    @Test func `an error of one session is not blamed on another`() throws {
        let broken = try TLSPair.established()
        let healthy = try TLSPair.established()
        broken.server.receive([UInt8](repeating: 0xFF, count: 100))
        #expect(throws: TLSError.self) { try broken.server.readAll() }
        #expect(try healthy.server.readAll().isEmpty)
        try healthy.client.seal([1])
        healthy.server.receive(healthy.client.takeCiphertext())
        #expect(try healthy.server.readAll() == [1])
    }
}
