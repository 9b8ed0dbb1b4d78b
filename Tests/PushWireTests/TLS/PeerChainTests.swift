import TestSupport
import Testing

@testable import PushWire

/// What a client keeps of a server's chain, and what it knows of its own libraries.
@Suite struct PeerChainTests {
    @Test func `after a handshake the chain ends in the trusted root`() throws {
        let certificate = try ServerCertificate()
        let pair = try TLSPair(certificate: certificate)
        #expect(pair.client.peerCertificates.isEmpty)
        try pair.handshake()
        let chain = pair.client.peerCertificates
        #expect(chain.count == 2)
        #expect(chain.first?.issuer == chain.last?.subject)
        #expect(chain.last?.issuer == chain.last?.subject)
        #expect(chain.allSatisfy { $0.fingerprint.count == 64 && $0.notAfter > 0 })
        #expect(pair.client.selectedProtocol == "h2")
        #expect(pair.client.cipher?.hasPrefix("TLS_") == true)
    }

    @Test func `a chain that is not trusted is kept, and the handshake still fails`() throws {
        let (certificate, stranger) = (try ServerCertificate(), try ServerCertificate())
        let pair = try TLSPair(
            client: stranger.clientSession(hostName: "localhost"), server: certificate.serverSession())
        #expect(throws: TLSError.self) { try pair.handshake() }
        #expect(!pair.client.isEstablished)
        #expect(pair.client.peerCertificates.first?.subject.isEmpty == false)
    }

    @Test func `a certificate for another name is kept, and the handshake still fails`() throws {
        let pair = try TLSPair(hostName: "other.example", certificate: ServerCertificate())
        #expect(throws: TLSError.self) { try pair.handshake() }
        #expect(!pair.client.isEstablished)
        #expect(pair.client.peerCertificates.count == 2)
    }

    @Test func `the libraries say their versions, and the trust store where it is`() {
        #expect(OpenSSLLibrary.version.wholeMatch(of: /OpenSSL 3\.\d+\.\d+\S*/) != nil)
        #expect(HTTP2Session.libraryVersion.wholeMatch(of: /\d+\.\d+\.\d+\S*/) != nil)
        let store = TrustStore.read()
        #expect(store.source == store.file || store.source == store.folder)
        #expect(store == TrustStore.read())
    }
}
