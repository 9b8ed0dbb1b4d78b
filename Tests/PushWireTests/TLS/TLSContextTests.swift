import PushWire
import Testing

@Suite struct TLSContextTests {
    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `authorities without a certificate are refused`(text: String) throws {
        let error = try #require(throws: TLSError.self) {
            try TLSContext(trust: .authorities(pem: Array(text.utf8)))
        }
        #expect(error.code == .unusableMaterial)
        #expect(error.description == "the given authorities contain no PEM certificate")
    }

    @Test func `a certificate that cannot be read is refused`() throws {
        let good = try ServerCertificate()
        let error = try #require(throws: TLSError.self) {
            try TLSContext(certificatePEM: good.privateKeyPEM, privateKeyPEM: good.privateKeyPEM)
        }
        #expect(error.code == .unusableMaterial)
        #expect(error.detail.contains("certificate"))
    }

    @Test func `a key that is none, or another certificate's, is refused`() throws {
        let good = try ServerCertificate()
        let other = try ServerCertificate()
        for key in [[], good.certificatePEM, Array(good.privateKeyPEM.prefix(100)), other.privateKeyPEM] {
            let error = try #require(throws: TLSError.self) {
                try TLSContext(certificatePEM: good.certificatePEM, privateKeyPEM: key)
            }
            #expect(error.code == .unusableMaterial)
            #expect(error.detail.contains("key"))
        }
    }

    @Test func `a list of authorities is trusted as a whole`() throws {
        let certificate = try ServerCertificate()
        let several = try ServerCertificate().authorityPEM + Array("\nsome text\n".utf8) + certificate.authorityPEM
        let client = try TLSSession(context: TLSContext(trust: .authorities(pem: several)), hostName: "localhost")
        let pair = try TLSPair(client: client, server: certificate.serverSession())
        try pair.handshake()
        #expect(client.isEstablished)
    }

    @Test func `the system does not trust an authority of ours`() throws {
        let certificate = try ServerCertificate()
        let client = try TLSSession(context: TLSContext(trust: .system), hostName: "localhost")
        let pair = try TLSPair(client: client, server: certificate.serverSession())
        let error = try #require(throws: TLSError.self) { try pair.handshake() }
        #expect(error.code == .untrustedAuthority)
    }
}
