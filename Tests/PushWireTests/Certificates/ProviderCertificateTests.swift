import PushWire
import TestSupport
import Testing

@Suite struct ProviderCertificateTests {
    @Test func `a universal certificate names its app, its topics and both environments`() throws {
        let certificate = try read("universal")
        #expect(certificate.commonName == "Apple Push Services: com.example.app")
        #expect(certificate.userID == "com.example.app")
        #expect(certificate.teamID == "MOCKTEAM12")
        #expect(certificate.kind.prefix == "Apple Push Services: ")
        #expect(certificate.environments == [.sandbox, .production])
        #expect(certificate.saysEnvironment)
        #expect(certificate.topics == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
        #expect(certificate.notAfter - certificate.notBefore > 364 * 86400)
    }

    @Test func `its fingerprint is the one that openssl prints`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(try CertificateSet.shared().read("universal-certificate.pem"), to: "c")
        let printed = try openssl.run("x509 -in c -noout -fingerprint -sha256")
        let digits = printed.split(separator: "=").last?.filter(\.isHexDigit).lowercased()
        #expect(try read("universal").fingerprint == digits)
    }

    @Test(
        arguments: [
            ("sandbox", Set([.sandbox]), ["com.example.app"], true),
            ("production", [.production], ["com.example.app"], true),
            ("voip", [.sandbox, .production], ["com.example.app.voip"], true),
            ("plain", [.sandbox, .production], [], false),
        ] as [(String, Set<ProviderCertificate.Environment>, [String], Bool)])
    func `the kinds of certificate are distinguished`(
        name: String, environments: Set<ProviderCertificate.Environment>, topics: [String], says: Bool
    ) throws {
        let certificate = try read(name)
        #expect(certificate.environments == environments)
        #expect(certificate.topics == topics)
        #expect(certificate.saysEnvironment == says)
        #expect((certificate.kind == .unknown) == (name == "plain"))
    }

    @Test func `extensions decide over the name, and the name where there is none`() throws {
        let renamed = try made(
            "/CN=Apple Production IOS Push Services: a.b/UID=a.b", "1.2.840.113635.100.6.3.1=DER:0500")
        #expect(renamed.environments == [.sandbox])
        let bare = try made("/CN=Apple Production IOS Push Services: a.b/UID=a.b", nil)
        #expect(bare.environments == [.production])
        #expect(bare.saysEnvironment)
        #expect(bare.topics == ["a.b"])
    }

    @Test func `an extension that cannot be read is as good as none`() throws {
        let certificate = try made("/CN=Apple Push Services: a.b/UID=a.b", "1.2.840.113635.100.6.3.6=DER:30ff0c")
        #expect(certificate.topics == ["a.b"])
    }

    @Test func `a topic that is listed twice counts once`() throws {
        let twice = try made("/CN=x/UID=c", "1.2.840.113635.100.6.3.6=DER:300c0c016130030c01620c01610500")
        #expect(twice.topics == ["a"])
    }

    @Test(arguments: [
        ("Apple Development IOS Push Services: x", "Apple Development IOS Push Services: "), ("APSP:1234", "APSP:"),
        ("Apple Push Services: x", "Apple Push Services: "), ("apple push services: x", ""), ("", ""),
        ("Apple Push Services:x", ""), ("iPhone Developer: A. Nyone (X)", "iPhone Developer: "),
    ])
    func `the kind follows from the beginning of the name`(name: String, prefix: String) {
        #expect(ProviderCertificate.Kind.kind(ofCommonName: name).prefix == prefix)
    }

    @Test func `control characters of a name do not get out`() throws {
        let certificate = try made("/CN=a\u{1B}[31mb", nil)
        #expect(certificate.commonName == "a\u{FFFD}[31mb")
    }

    @Test func `a certificate cut off or changed ends no process`() throws {
        let der = try self.der(of: try CertificateSet.shared().read("universal-certificate.pem"))
        for count in stride(from: 0, to: der.count, by: 7) {
            #expect { try ProviderCertificate(der: Array(der.prefix(count))) } throws: {
                ($0 as? CertificateError)?.code == .damagedCertificate
            }
        }
        for index in der.indices {
            var changed = der
            changed[index] ^= 0xFF
            _ = try? ProviderCertificate(der: changed)
        }
    }

    private func read(_ name: String) throws -> ProviderCertificate {
        let openssl = try OpenSSLCommand()
        let set = try CertificateSet.shared()
        let line = "pkcs12 -in \(set.path("\(name).p12")) -passin pass:\(CertificateSet.passphrase) -nokeys -clcerts"
        try openssl.run("\(line) -out c")
        return try ProviderCertificate(der: der(of: openssl.read("c")))
    }

    /// Signs itself; names are given as openssl takes them, an extension as in x509v3_config(5).
    private func made(_ subject: String, _ added: String?) throws -> ProviderCertificate {
        let openssl = try OpenSSLCommand()
        let extensions = added.map { "[e]\n\($0)\n" } ?? "[e]\n"
        try openssl.write("[req]\ndistinguished_name=n\nx509_extensions=e\n[n]\n\(extensions)".utf8, to: "conf")
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", "conf",
            "-subj", subject, "-keyout", "k", "-out", "c",
        ]
        try openssl.run(arguments)
        return try ProviderCertificate(der: der(of: openssl.read("c")))
    }

    private func der(of pem: [UInt8]) throws -> [UInt8] {
        let openssl = try OpenSSLCommand()
        try openssl.write(pem, to: "c.pem")
        try openssl.run("x509 -in c.pem -outform DER -out c.der")
        return try openssl.read("c.der")
    }
}
