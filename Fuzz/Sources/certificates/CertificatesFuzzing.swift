internal import FuzzSupport

@testable internal import PushWire

/// A certificate file, PEM or DER, with or without a key in it.
enum CertificatesFuzzing {
    static func run(_ file: [UInt8]) {
        do throws(IdentityError) {
            let certificates = try ProviderCertificate.list(file: file)
            claim(!certificates.isEmpty, "a file without a certificate was accepted")
            for certificate in certificates { IdentityClaims.check(certificate) }
        } catch {
            PEMText.claimHarmless(error.description, secret: file)
        }
        for passphrase in [nil, SecretBuffer(Array("example".utf8))] { readIdentity(file, passphrase) }
        if let certificate = try? ProviderCertificate(der: file) { IdentityClaims.check(certificate) }
        for topic in CertificateTopics.listed(in: file) + CertificateTopics.joined(in: file) {
            claimPrintable(topic, "a topic")
            claim(!topic.isEmpty, "a topic is empty")
        }
    }

    private static func readIdentity(_ file: [UInt8], _ passphrase: SecretBuffer?) {
        do throws(IdentityError) {
            IdentityClaims.check(try IdentityFile(certificate: file, passphrase: passphrase))
        } catch {
            PEMText.claimHarmless(error.description, secret: error.names.isEmpty ? file : [])
        }
    }
}

extension CertificatesFuzzing {
    static func seeds() throws -> [String: [UInt8]] {
        let authority = try CertificateAuthority.make(commonName: "Seed authority", now: 1_700_000_000)
        let names = ["localhost", "*.example.com", "127.0.0.1", "::1"]
        let issued = try authority.issueServerCertificate(names: names, validDays: 3650, now: 1_700_000_000)
        let der = PEMText.der(issued.certificatePEM)
        return [
            "pem": issued.certificatePEM,
            "der": der,
            "chain": issued.certificatePEM + authority.certificatePEM,
            "pair": issued.certificatePEM + issued.privateKeyPEM,
            "pair-with-chain": issued.privateKeyPEM + issued.certificatePEM + authority.certificatePEM,
            "other-key": authority.certificatePEM + issued.privateKeyPEM,
            "encrypted": issued.certificatePEM + (try encrypted(issued.privateKeyPEM)),
            "encrypted-inside": issued.certificatePEM + (try encryptedInside(issued.privateKeyPEM)),
            "topic-list": [0x30, 0x0D, 0x0C, 0x03, 0x61, 0x2E, 0x62, 0x30, 0x06, 0x0C, 0x04] + Array("name".utf8),
            "topics-joined": [0x0C, 0x07] + Array("a.b,c.d".utf8),
        ]
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(CertificatesFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    CertificatesFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
