import PushWire
import Testing

@Suite struct CertificateTests {
    let now: Int64 = 1_767_225_600

    @Test func `the names of a certificate are those it was made for`() throws {
        let names = [
            "localhost", "Push.Example.COM", "*.example.com", "a_b.example", "root.example.", "127.0.0.1", "::1",
            "2001:DB8:0:0:1:0:0:1",
            "::", "1::", "1:2:3:4:5:6:7:8", "1:0:3:4:5:6:7:8", "::ffff:192.0.2.1", "localhost",
        ]
        let pem = try issuedPEM(for: names)
        let openssl = try OpenSSLCommand()
        try openssl.write(pem, to: "c")
        let listed = try openssl.run("x509 -in c -noout -ext subjectAltName")
        #expect(
            listed.contains(
                "DNS:localhost, DNS:push.example.com, DNS:*.example.com, DNS:a_b.example, DNS:root.example, "
                    + "IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:1:0:0:1, "
                    + "IP Address:0:0:0:0:0:0:0:0, IP Address:1:0:0:0:0:0:0:0, IP Address:1:2:3:4:5:6:7:8, "
                    + "IP Address:1:0:3:4:5:6:7:8, IP Address:0:0:0:0:0:FFFF:C000:201\n"), "\(listed)")
        let certificate = try Certificate(pem: pem)
        for name in names { #expect(certificate.covers(name), "\(name)") }
    }

    @Test(arguments: [
        ("api.push.apple.com", true), ("API.push.apple.com", true), ("api.push.apple.com.", true),
        ("push.apple.com", false), ("x.api.push.apple.com", false), ("a.wild.example", true),
        ("a.b.wild.example", false), ("127.0.0.1", true), ("127.0.0.2", false), ("0:0:0:0:0:0:0:1", true),
        ("::2", false), ("Server", false), ("", false), ("not a name", false), ("127.0.0.1\0", false),
    ])
    func `it covers what a client would accept`(name: String, covered: Bool) throws {
        let certificate = try issued(for: ["api.push.apple.com", "*.wild.example", "127.0.0.1", "::1"])
        #expect(certificate.covers(name) == covered)
    }

    @Test func `a certificate of openssl without names covers none`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -subj /CN=a.example -out c")
        let certificate = try Certificate(pem: openssl.read("c"))
        #expect(!certificate.covers("a.example"))
    }

    @Test func `a certificate cut off anywhere is damaged`() throws {
        let pem = try CertificateAuthority.make(commonName: "Test CA", now: now).certificatePEM
        for count in 0..<(pem.count - 1) {
            #expect { try Certificate(pem: Array(pem.prefix(count))) } throws: {
                ($0 as? CertificateError)?.code == .damagedCertificate
            }
        }
    }

    private func issued(for names: [String]) throws -> Certificate { try Certificate(pem: issuedPEM(for: names)) }

    private func issuedPEM(for names: [String]) throws -> [UInt8] {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        return try authority.issueServerCertificate(names: names, validDays: 90, now: now).certificatePEM
    }
}
