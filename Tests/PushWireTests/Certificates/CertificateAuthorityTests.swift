import PushWire
import Testing

@Suite struct CertificateAuthorityTests {
    /// 1 January 2026, 00:00 UTC.
    let now: Int64 = 1_767_225_600

    @Test(arguments: ["push.example.com", "127.0.0.1", "::1"])
    func `openssl accepts a server certificate under its strict rules`(name: String) throws {
        let openssl = try OpenSSLCommand()
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        let server = try authority.issueServerCertificate(
            names: ["push.example.com", "127.0.0.1", "::1"], validDays: 90, now: now)
        try openssl.write(authority.certificatePEM, to: "ca.pem")
        try openssl.write(server.certificatePEM, to: "server.pem")
        let verify = "verify -x509_strict -check_ss_sig -purpose sslserver -attime \(now) -CAfile ca.pem"
        let check = name.contains("e") ? "-verify_hostname" : "-verify_ip"
        try openssl.run("\(verify) \(check) \(name) server.pem")
        #expect(try openssl.attempt("\(verify) -verify_hostname other.example server.pem").status != 0)
        #expect(try openssl.attempt("\(verify) -verify_ip 127.0.0.2 server.pem").status != 0)
        try openssl.run("verify -x509_strict -check_ss_sig -attime \(now) -CAfile ca.pem ca.pem")
    }

    @Test func `the certificates say what they are for`() throws {
        let openssl = try OpenSSLCommand()
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        try openssl.write(authority.certificatePEM, to: "ca.pem")
        let ca = try openssl.run("x509 -in ca.pem -noout -text -certopt no_header")
        #expect(ca.contains("CA:TRUE") && ca.contains("Certificate Sign, CRL Sign") && ca.contains("CN = Test CA"))
        #expect(ca.contains("Subject Key Identifier"))

        let server = try authority.issueServerCertificate(names: ["a.example", "::1"], validDays: 90, now: now)
        try openssl.write(server.certificatePEM, to: "server.pem")
        let text = try openssl.run("x509 -in server.pem -noout -text")
        #expect(text.contains("DNS:a.example, IP Address:0:0:0:0:0:0:0:1"))
        #expect(text.contains("TLS Web Server Authentication") && text.contains("CA:FALSE"))
        #expect(text.contains("Authority Key Identifier"))
        #expect(!text.contains("Certificate Sign"))
    }

    @Test func `serial numbers are long and never the same`() throws {
        let openssl = try OpenSSLCommand()
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        var serials: Set<String> = []
        for _ in 0..<5 {
            try openssl.write(
                authority.issueServerCertificate(names: ["a.example"], validDays: 1, now: now).certificatePEM, to: "s")
            let serial = try openssl.run("x509 -in s -noout -serial")
            #expect(serial.count == "serial=".count + 32 + 1)
            serials.insert(serial)
        }
        #expect(serials.count == 5)
    }

    @Test func `a certificate begins an hour ago and never outlives its authority`() throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", validDays: 30, now: now)
        #expect(authority.validity == (now - 3600)...(now + 30 * 86400))
        let short = try authority.issueServerCertificate(names: ["a.example"], validDays: 7, now: now)
        #expect(try Certificate(pem: short.certificatePEM).validity == (now - 3600)...(now + 7 * 86400))
        let long = try authority.issueServerCertificate(names: ["a.example"], validDays: 90, now: now)
        #expect(try Certificate(pem: long.certificatePEM).validity == (now - 3600)...(now + 30 * 86400))
        // Times from 2050 on are written in another form.
        let late = try CertificateAuthority.make(commonName: "Test CA", now: 2_600_000_000)
        #expect(late.validity == 2_599_996_400...2_915_360_000)
    }

    @Test func `an authority read again issues as before`() throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        let again = try CertificateAuthority(
            certificatePEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM())
        #expect(again.certificatePEM == authority.certificatePEM)
        let server = try again.issueServerCertificate(names: ["a.example"], validDays: 90, now: now)
        let certificate = try Certificate(pem: server.certificatePEM)
        #expect(certificate.isIssued(by: authority))
        #expect(certificate.fits(privateKeyPEM: server.privateKeyPEM))
        // The same name, but another key.
        let stranger = try CertificateAuthority.make(commonName: "Test CA", now: now)
        #expect(!certificate.isIssued(by: stranger))
        #expect(try !certificate.fits(privateKeyPEM: authority.privateKeyPEM()))
    }

    @Test func `a certificate changed after signing is not the authority's`() throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        var pem = try authority.issueServerCertificate(names: ["a.example"], validDays: 90, now: now).certificatePEM
        // A letter of the signature, the last of the contents.
        let index = pem.count - "\n-----END CERTIFICATE-----\n".utf8.count - 6
        pem[index] = pem[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(try !Certificate(pem: pem).isIssued(by: authority))
    }

    @Test func `halves that do not make an authority have different errors`() throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        let other = try CertificateAuthority.make(commonName: "Test CA", now: now)
        let server = try authority.issueServerCertificate(names: ["a.example"], validDays: 90, now: now)
        let key = try authority.privateKeyPEM()
        let cases: [([UInt8], [UInt8], CertificateError.Code)] = [
            (authority.certificatePEM, try other.privateKeyPEM(), .keyMismatch),
            (server.certificatePEM, server.privateKeyPEM, .notAuthority),
            (authority.certificatePEM, [], .unusableKey),
            (authority.certificatePEM, Array(key.prefix(100)), .unusableKey),
            (Array(authority.certificatePEM.prefix(200)), key, .damagedCertificate),
            ([], key, .damagedCertificate),
            (key, key, .damagedCertificate),
        ]
        for (certificate, key, code) in cases {
            #expect {
                try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
            } throws: {
                ($0 as? CertificateError)?.code == code
            }
        }
    }

    @Test(arguments: [
        "", " ", "a b", "a,DNS:evil.example", "a.example\n", "a.example\0b", "-a.example", "a..example", "[::1]",
        "fe80::1%eth0", "256.1.1.1", "1.2.3", "münchen.example", "*", "a.*.example", "https://a.example",
        "a.example:443", "@section", String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "aa",
    ])
    func `a name that can stand in no certificate is refused`(name: String) throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        #expect {
            try authority.issueServerCertificate(names: ["a.example", name], validDays: 90, now: now)
        } throws: {
            guard let error = $0 as? CertificateError else { return false }
            return error.code == .badName && !error.description.contains("\n") && error.description.utf8.count < 400
        }
    }

    @Test func `a certificate for no name, or with no common name or time, is an error`() throws {
        let authority = try CertificateAuthority.make(commonName: "Test CA", now: now)
        #expect { try authority.issueServerCertificate(names: [], validDays: 9, now: now) } throws: {
            ($0 as? CertificateError)?.code == .badName
        }
        #expect(throws: CertificateError.self) {
            try authority.issueServerCertificate(names: ["a.example"], validDays: -1, now: now)
        }
        #expect(throws: CertificateError.self) { try CertificateAuthority.make(commonName: "", now: now) }
        let long = String(repeating: "a", count: 65)
        #expect(throws: CertificateError.self) { try CertificateAuthority.make(commonName: long, now: now) }
    }
}
