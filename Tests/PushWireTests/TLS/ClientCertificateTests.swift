import TestSupport
import Testing

@testable import PushWire

@Suite struct ClientCertificateTests {
    let set: CertificateSet

    init() throws {
        set = try CertificateSet.shared()
    }

    @Test(arguments: [true, false], ["universal.p12", "legacy.p12", "plain.p12"])
    func `the server sees the certificate that the client shows`(modern: Bool, name: String) throws {
        let identity = try IdentityFile(p12: set.read(name), passphrase: .example).identity()
        let pair = try pair(identity, modern: modern)
        try pair.handshake()
        #expect(pair.client.version == (modern ? "TLSv1.3" : "TLSv1.2"))
        #expect(pair.server.peerCertificate == identity.certificate)
        #expect(result(pair, now: identity.certificate.notBefore) == .trusted)
    }

    @Test func `a client without a certificate is distinguished from the others`() throws {
        let pair = try pair(nil, modern: true)
        try pair.handshake()
        #expect(pair.server.peerCertificate == nil)
        #expect(result(pair, now: 0) == .absent)
    }

    @Test func `the dates are compared with the time given, both ends included`() throws {
        let identity = try IdentityFile(p12: set.read("universal.p12"), passphrase: .example).identity()
        let (start, end) = (identity.certificate.notBefore, identity.certificate.notAfter)
        let pair = try pair(identity, modern: true)
        try pair.handshake()
        #expect(result(pair, now: start - 1) == .notYetValid)
        #expect(result(pair, now: start) == .trusted)
        #expect(result(pair, now: end) == .trusted)
        #expect(result(pair, now: end + 1) == .expired)
    }

    @Test func `one of another authority is not trusted, expired or not`() throws {
        let identity = try IdentityFile(p12: set.read("expired.p12"), passphrase: .example).identity()
        let pair = try pair(identity, modern: true)
        try pair.handshake()
        let stranger = try ServerCertificate().authorityPEM
        let late = identity.certificate.notAfter + 1
        #expect(pair.server.peerCertificateResult(authoritiesPEM: stranger, now: late) == .untrusted)
        #expect(pair.server.peerCertificateResult(authoritiesPEM: [], now: late) == .untrusted)
        let both = try stranger + set.read("ca.pem")
        #expect(pair.server.peerCertificateResult(authoritiesPEM: both, now: late) == .expired)
    }

    @Test func `the certificates above its own are sent along, and one of them may be the authority`() throws {
        let openssl = try OpenSSLCommand()
        let pem = try openssl.makeChain()
        let file = try IdentityFile(certificate: pem.leaf + pem.intermediate + pem.root, key: pem.key)
        let identity = try file.identity()
        #expect(identity.chain.count == 1)
        let pair = try pair(identity, modern: true)
        try pair.handshake()
        let now = identity.certificate.notBefore
        #expect(pair.server.peerCertificateResult(authoritiesPEM: pem.root, now: now) == .trusted)
        #expect(pair.server.peerCertificateResult(authoritiesPEM: pem.intermediate, now: now) == .trusted)

        let alone = try IdentityFile(certificate: pem.leaf, key: pem.key).identity()
        let short = try self.pair(alone, modern: true)
        try short.handshake()
        #expect(short.server.peerCertificateResult(authoritiesPEM: pem.root, now: now) == .untrusted)
    }

    /// A client that resumes a session would get an alert instead of a connection, since the server asks for a certificate.
    @Test(arguments: [nil, "universal.p12"])
    func `the server of a TLS 1.2 session gives neither a session id nor a ticket`(name: String?) throws {
        let identity = try name.map { try IdentityFile(p12: set.read($0), passphrase: .example).identity() }
        let pair = try pair(identity, modern: false)
        try pair.client.handshake()
        pair.server.receive(pair.client.takeCiphertext())
        try pair.server.handshake()
        let hello = pair.server.takeCiphertext()
        // ServerHello: after record (5), message (4), version (2) and random (32), the length of the session id.
        try #require(hello.count > 43 && hello[5] == 2)
        #expect(hello[43] == 0)
        pair.client.receive(hello)
        try pair.client.handshake()
        pair.server.receive(pair.client.takeCiphertext())
        try pair.server.handshake()
        #expect(pair.server.isEstablished)
        let records = try #require(TLSRecord.read(pair.server.takeCiphertext()))
        // ChangeCipherSpec and Finished. A ticket would come before them (RFC 5077 section 3.3).
        #expect(records.map(\.type) == [20, TLSRecord.handshake])
    }

    // MARK: Servers that refuse what has expired

    @Test func `over TLS 1.3 a client hears on its first read that its certificate has expired`() throws {
        let pair = try pair("expired.p12", modern: true, refuses: true)
        #expect(throws: TLSError.self) { try pair.handshake() }
        #expect(pair.client.isEstablished)
        pair.client.receive(pair.server.takeCiphertext())
        let error = try #require(throws: TLSError.self) { try pair.client.readAll() }
        #expect(error.code == .ownCertificateExpired)
        #expect(error.detail.contains("refused the certificate sent to it, because it has expired"))
    }

    @Test func `over TLS 1.2 a client hears in the handshake that its certificate has expired`() throws {
        let pair = try pair("expired.p12", modern: false, refuses: true)
        #expect(throws: TLSError.self) { try pair.handshake() }
        #expect(!pair.client.isEstablished)
        pair.client.receive(pair.server.takeCiphertext())
        let error = try #require(throws: TLSError.self) { try pair.client.handshake() }
        #expect(error.code == .ownCertificateExpired)
    }

    /// bad_certificate, certificate_revoked, certificate_expired, unknown_ca (RFC 8446 section 6).
    @Test(arguments: [42, 44, 45, 48] as [UInt8], [true, false])
    func `an alert about a certificate says whether one was sent`(alert: UInt8, isSent: Bool) throws {
        let identity = try IdentityFile(p12: set.read("universal.p12"), passphrase: .example).identity()
        let pair = try pair(isSent ? identity : nil, modern: true)
        try pair.client.handshake()
        pair.client.receive(TLSRecord(type: TLSRecord.alert, content: [2, alert]).bytes)
        let error = try #require(throws: TLSError.self) { try pair.client.handshake() }
        #expect([.ownCertificateRefused, .ownCertificateExpired].contains(error.code))
        #expect(error.detail.contains("refused the certificate sent to it") == isSent, "\(error)")
        #expect(error.detail.contains("because of a certificate, but none was sent") != isSent, "\(error)")
    }

    @Test(arguments: [true, false], ["universal.p12", "plain.p12"])
    func `such a server takes every other certificate`(modern: Bool, name: String) throws {
        let pair = try pair(name, modern: modern, refuses: true)
        try pair.handshake()
        #expect(pair.server.peerCertificate != nil)
    }

    @Test func `such a server takes a client without a certificate`() throws {
        let pair = try pair(nil, modern: true, refuses: true)
        try pair.handshake()
        #expect(pair.server.isEstablished)
    }

    // MARK: Made of

    private func pair(_ name: String, modern: Bool, refuses: Bool = false) throws -> TLSPair {
        try pair(IdentityFile(p12: set.read(name), passphrase: .example).identity(), modern: modern, refuses: refuses)
    }

    private func pair(_ identity: ClientIdentity?, modern: Bool, refuses: Bool = false) throws -> TLSPair {
        let client = try TLSContext(trust: .authorities(pem: set.read("ca.pem")), identity: identity)
        if !modern { client.stopAtTLS12() }
        let server = try TLSContext(
            certificatePEM: set.read("server.pem"), privateKeyPEM: set.read("server.key"),
            refusesExpiredClientCertificates: refuses)
        return TLSPair(
            client: try TLSSession(context: client, hostName: "localhost"), server: try TLSSession(context: server))
    }

    private func result(_ pair: TLSPair, now: Int) -> PeerCertificateResult? {
        try? pair.server.peerCertificateResult(authoritiesPEM: set.read("ca.pem"), now: now)
    }
}

extension OpenSSLCommand {
    /// An authority, one below it, and a client's certificate below that, with its key.
    func makeChain() throws -> (root: [UInt8], intermediate: [UInt8], leaf: [UInt8], key: [UInt8]) {
        try write("basicConstraints=critical,CA:TRUE".utf8, to: "authority.conf")
        try run(newKey + "-keyout root.key -x509 -subj /CN=Root -out root.pem -days 3650")
        try run(newKey + "-keyout middle.key -subj /CN=Middle -out middle.csr")
        let sign = "x509 -req -days 3650 -set_serial"
        try run(
            "\(sign) 2 -in middle.csr -CA root.pem -CAkey root.key -extfile authority.conf -out middle.pem")
        try run(newKey + "-keyout leaf.key -subj /CN=Leaf -out leaf.csr")
        try run("\(sign) 3 -in leaf.csr -CA middle.pem -CAkey middle.key -out leaf.pem")
        return (try read("root.pem"), try read("middle.pem"), try read("leaf.pem"), try read("leaf.key"))
    }

    private var newKey: String { "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes " }
}
